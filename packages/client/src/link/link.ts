import { type Clock, isOrthantError, OrthantError, type RandomBits, type Timer } from "@orthant/core";
import type { Goodbye, Wire } from "@orthant/protocol";
import { Backoff, STABLE_MS } from "./backoff.ts";
import { finalError, finalFault, refusedToken } from "./ending.ts";
import type { Status, StatusDetail } from "./status.ts";
import type { TokenSource } from "./token-source.ts";
import type { OpenSocket, WebSocketLike } from "./web-socket.ts";

/** Interval between ticks of the protocol client. */
const TICK_MS = 50;
/** How long a connection may take to open and be welcomed. */
const JOIN_MS = 15_000;
/** Silence after which a connection counts as dead, whatever the socket says; servers send every second. */
const SILENCE_MS = 10_000;
/** Delay of a tick that means that the program was suspended, so silence is not conclusive yet. */
const LATE_TICK_MS = 2_000;

/** The protocol client, which encodes and decodes the frames. */
export interface LinkEnd {
  connected(wire: Wire): void;
  receive(frame: Uint8Array): void;
  disconnected(): void;
  tick(): void;
}

/** Dependencies of a link. */
export interface LinkOptions {
  readonly url: string;
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly random: RandomBits;
  readonly tokens: TokenSource;
  readonly onStatus: (status: Status, detail: StatusDetail) => void;
}

/**
 * Maintains a connection to a server: connects, passes frames to the protocol client, and reconnects after a
 * loss, until it is closed or the server says that retrying is pointless.
 */
export class Link {
  readonly #end: LinkEnd;
  readonly #options: LinkOptions;
  readonly #backoff: Backoff;
  #status: Status = "connecting";
  #socket: WebSocketLike | undefined;
  #isOpen = false;
  #retry: Timer | undefined;
  #ticker: Timer | undefined;
  #goodbye: Goodbye | undefined;
  #fault: OrthantError | undefined;
  #startedMs = 0;
  #joinedMs = 0;
  #heardMs = 0;
  #tickedMs = 0;
  #isInside = false;

  constructor(end: LinkEnd, options: LinkOptions) {
    this.#end = end;
    this.#options = options;
    this.#backoff = new Backoff(options.random);
  }

  /** Connection status. */
  get status(): Status {
    return this.#status;
  }

  /** Makes the first attempt. */
  start(): void {
    this.#attempt();
  }

  /** Handles the welcome. */
  welcomed(): void {
    if (this.#status !== "connecting") return;
    this.#joinedMs = this.#options.clock.nowMs();
    this.#options.tokens.accept();
    this.#become("joined");
  }

  /** Handles a goodbye. The connection ends once its frame has been processed. */
  told(goodbye: Goodbye): void {
    this.#goodbye = goodbye;
  }

  /** Handles a protocol violation by the server. The connection ends in the same way. */
  found(fault: OrthantError): void {
    this.#fault = fault;
  }

  /** Closes the connection permanently, after sending what is waiting. */
  close(error?: OrthantError): void {
    if (this.#status === "closed") return;
    if (this.#isOpen && !this.#isInside && error === undefined) this.#end.tick();
    this.#retry?.cancel();
    this.#letGo();
    this.#become("closed", error === undefined ? {} : { error });
  }

  async #attempt(): Promise<void> {
    this.#become("connecting");
    this.#startedMs = this.#options.clock.nowMs();
    const { tokens, openSocket, url } = this.#options;
    try {
      if ((await tokens.refresh()) === "refused before") {
        if (this.#status === "connecting") this.close(refusedToken("it is the one that was refused before"));
        return;
      }
    } catch (error) {
      // The token issuer may be unavailable for a while, like the server.
      if (this.#status === "connecting") this.#wait(lost(`no token: ${String(error)}`, error));
      return;
    }
    // Closed while waiting for the token.
    if (this.#status !== "connecting") return;
    try {
      this.#listen(openSocket(url));
    } catch (error) {
      this.close(
        new OrthantError(
          "ORT_ARGUMENT",
          `cannot open ${url}: ${String(error)}; an address looks like ws://127.0.0.1:7440`,
          {},
          { cause: error },
        ),
      );
    }
  }

  #listen(socket: WebSocketLike): void {
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    let problem = "";
    const isCurrent = (): boolean => this.#socket === socket;
    socket.addEventListener("open", () => {
      if (isCurrent()) this.#opened(socket);
    });
    socket.addEventListener("message", ({ data }) => {
      if (isCurrent()) this.#heard(data);
    });
    // A `close` event follows; this only adds detail to it.
    socket.addEventListener("error", (event) => {
      if ("message" in event) problem = String(event.message);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (isCurrent()) this.#drop(lost(problem || reason || `the socket closed with code ${code}`));
    });
    this.#tickedMs = this.#options.clock.nowMs();
    this.#plan();
  }

  #opened(socket: WebSocketLike): void {
    this.#isOpen = true;
    this.#heardMs = this.#options.clock.nowMs();
    this.#inside(() =>
      this.#end.connected({
        send: (frame) => {
          if (this.#socket === socket) socket.send(frame);
        },
        close: () => {
          if (this.#socket === socket) this.#fault ??= lost("the server does not keep to the protocol");
        },
      }),
    );
  }

  #heard(data: unknown): void {
    this.#heardMs = this.#options.clock.nowMs();
    if (!(data instanceof ArrayBuffer)) {
      this.#drop(lost("the server sent text, which is not the protocol"));
      return;
    }
    this.#inside(() => this.#end.receive(new Uint8Array(data)));
    // Browsers throttle the timers of a hidden page, but never its sockets.
    if (this.#isOpen && this.#options.clock.nowMs() - this.#tickedMs >= TICK_MS) this.#tick();
  }

  #plan(): void {
    this.#ticker?.cancel();
    this.#ticker = this.#options.clock.after(TICK_MS, () => {
      this.#tick();
      if (this.#socket !== undefined) this.#plan();
    });
  }

  #tick(): void {
    const nowMs = this.#options.clock.nowMs();
    const isLate = nowMs - this.#tickedMs > LATE_TICK_MS;
    this.#tickedMs = nowMs;
    if (isLate) this.#heardMs = Math.max(this.#heardMs, nowMs - SILENCE_MS + LATE_TICK_MS);
    if (this.#status === "connecting" && nowMs - this.#startedMs > JOIN_MS) {
      this.#drop(lost(`no welcome within ${JOIN_MS} ms`));
    } else if (this.#isOpen && nowMs - this.#heardMs > SILENCE_MS) {
      this.#drop(lost(`the server said nothing for ${SILENCE_MS} ms`));
    } else if (this.#isOpen) {
      this.#inside(() => this.#end.tick());
    }
  }

  /** Runs the protocol client. Requests to the link by the client or its listeners wait until it is done. */
  #inside(work: () => void): void {
    this.#isInside = true;
    try {
      work();
    } finally {
      this.#isInside = false;
    }
    if (this.#socket === undefined) return;
    if (this.#goodbye !== undefined) this.#drop(lost(`the server said goodbye: ${this.#goodbye.reason}`));
    else if (this.#fault !== undefined) this.#drop(this.#fault);
  }

  /** Ends a connection, then retries or closes. */
  #drop(error: OrthantError): void {
    const goodbye = this.#goodbye;
    this.#goodbye = undefined;
    this.#fault = undefined;
    this.#letGo();
    this.#end.disconnected();
    const told = goodbye === undefined ? {} : { goodbye };
    const final = goodbye === undefined ? finalFault(error) : this.#finalError(goodbye);
    if (final === undefined) this.#wait(error, goodbye);
    else this.#become("closed", { ...told, error: final });
  }

  #finalError(goodbye: Goodbye): OrthantError | undefined {
    if (goodbye.reason !== "credentials") return finalError(goodbye);
    return this.#options.tokens.refuse() === "give up" ? refusedToken(goodbye.detail) : undefined;
  }

  #wait(error: OrthantError, goodbye?: Goodbye): void {
    const { clock } = this.#options;
    const wasStable = this.#joinedMs !== 0 && clock.nowMs() - this.#joinedMs >= STABLE_MS;
    if (wasStable) this.#backoff.reset();
    this.#joinedMs = 0;
    // A token that expired during play is replaced at once, so that the player does not notice.
    const isRenewal = wasStable && goodbye?.reason === "credentials";
    const retryInMs = isRenewal ? 0 : this.#backoff.nextMs(goodbye?.retryAfterMs);
    this.#retry = clock.wait(retryInMs, () => this.#attempt());
    this.#become("waiting", { error, retryInMs, ...(goodbye === undefined ? {} : { goodbye }) });
  }

  #letGo(): void {
    this.#ticker?.cancel();
    this.#isOpen = false;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #become(status: Status, detail: StatusDetail = {}): void {
    this.#status = status;
    this.#options.onStatus(status, detail);
  }
}

function lost(detail: string, cause?: unknown): OrthantError {
  if (isOrthantError(cause)) return cause;
  return new OrthantError("ORT_DISCONNECTED", detail, {}, { cause });
}
