import { isOrthantError, OrthantError, type Timer, type TimeSource } from "@orthant/core";
import type { RandomBits } from "@orthant/core/lattice";
import type { Goodbye, Wire } from "@orthant/protocol";
import { finalError, finalFault, retryWaitMs, STABLE_MS, type TokenSource } from "./retry.ts";
import { socketError } from "./server-url.ts";

/** Connection status of a client. `waiting`: it will retry after a while. `closed`: it never will. */
export type Status = "connecting" | "joined" | "waiting" | "closed";

/** Details of a status change. Each field is present only when it applies. */
export interface StatusDetail {
  /** The goodbye with which the server ended the connection. */
  readonly goodbye?: Goodbye;
  /** With `waiting`: time until the next attempt. */
  readonly retryInMs?: number;
  /** Why the connection was lost or, with `closed`, will not return; absent after a call of `close`. */
  readonly error?: OrthantError;
}

/** The parts of a WebSocket that the client uses. Browsers, Node 22 and the `ws` package provide them. */
export interface WebSocketLike {
  binaryType: string;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  send(data: Uint8Array): void;
  close(): void;
}

/** Starts to connect to an address. */
export type OpenSocket = (url: string) => WebSocketLike;

declare const WebSocket: (new (url: string) => WebSocketLike) | undefined;

/** Returns a function that opens the platform's `WebSocket`, or `undefined` if there is none. */
export function platformSocket(): OpenSocket | undefined {
  if (typeof WebSocket === "undefined") return undefined;
  const PlatformSocket = WebSocket;
  return (url) => new PlatformSocket(url);
}

/** Interval between ticks of the protocol client, and the least one between a frame and an early tick. */
const TICK_MS = 50;
/** How long a connection may take to open and be welcomed. */
const JOIN_MS = 15_000;
/** The same while there are other addresses to try. */
const JOIN_MS_OF_SEVERAL = 5_000;
/** Silence after which a connection counts as dead, whatever the socket says; servers send every second. */
const SILENCE_MS = 6_000;
/** Delay of a tick that means that the program was suspended, so silence is not conclusive yet. */
const LATE_TICK_MS = 2_000;

/** The protocol client, which encodes and decodes the frames. */
interface FrameHandler {
  connected(wire: Wire): void;
  receive(frame: Uint8Array): void;
  disconnected(): void;
  tick(): void;
}

/** Dependencies of a connection. */
interface ServerConnectionOptions {
  /** Addresses of the same world. */
  readonly urls: readonly string[];
  readonly openSocket: OpenSocket;
  readonly time: TimeSource;
  readonly random: RandomBits;
  readonly tokens: TokenSource;
  readonly onStatus: (status: Status, detail: StatusDetail) => void;
}

/**
 * Maintains a connection to a server: connects, passes frames to the protocol client, and reconnects after a
 * loss, until it is closed or the server says that retrying is pointless. Of several addresses it begins with any, so
 * that clients spread over them, and takes the next one after each loss.
 */
export class ServerConnection {
  readonly #frames: FrameHandler;
  readonly #options: ServerConnectionOptions;
  /** Failures since the last stable connection. */
  #failures = 0;
  readonly #joinMs: number;
  /** Which address is tried, counted on from attempt to attempt. */
  #turn: number;
  #status: Status = "connecting";
  #socket: WebSocketLike | undefined;
  #isOpen = false;
  #retry: Timer | undefined;
  #ticker: Timer | undefined;
  #goodbye: Goodbye | undefined;
  #fault: OrthantError | undefined;
  #startedMs = 0;
  #joinedMs = 0;
  #receivedMs = 0;
  #tickedMs = 0;
  /** When the last frame left. */
  #sentMs = 0;
  #isTickDue = false;
  #isHandling = false;
  #attempts = 0;
  /** Why the last attempt failed. */
  #failure: OrthantError | undefined;
  #isTokenDue = false;

  constructor(frames: FrameHandler, options: ServerConnectionOptions) {
    this.#frames = frames;
    this.#options = options;
    const { urls, random } = options;
    this.#joinMs = urls.length > 1 ? JOIN_MS_OF_SEVERAL : JOIN_MS;
    this.#turn = urls.length > 1 ? Number(BigInt.asUintN(32, random())) : 0;
  }

  /** Connection status. */
  get status(): Status {
    return this.#status;
  }

  /** Returns the error for a client that was not welcomed in time: what it waits for, and why attempts failed. */
  timeoutError(timeoutMs: number): OrthantError {
    const { urls } = this.#options;
    const failure = this.#failure;
    const attempts = this.#attempts === 1 ? "the only attempt" : `the last of ${this.#attempts} attempts`;
    const why = failure === undefined ? "" : `; ${attempts} failed: ${failure.detail}`;
    const detail = `no welcome from ${urls.join(" or ")} within ${timeoutMs} ms: ${this.#waitsFor()}${why}`;
    return new OrthantError("ORT_TIMEOUT", detail, {}, { cause: failure });
  }

  #waitsFor(): string {
    if (this.#isTokenDue) return "the function of the option token has not answered";
    if (this.#status === "waiting") return "waiting to try again";
    return this.#isOpen
      ? "connected, but no welcome came: the server is busy, or is not an Orthant server"
      : "the connection has not opened";
  }

  /** Makes the first attempt. */
  start(): void {
    this.#attempt();
  }

  /** Handles the welcome. */
  welcomed(): void {
    if (this.#status !== "connecting") return;
    this.#joinedMs = this.#options.time.nowMs();
    this.#options.tokens.accept();
    this.#become("joined");
  }

  /** Handles a goodbye. The connection ends once its frame has been processed. */
  receivedGoodbye(goodbye: Goodbye): void {
    this.#goodbye = goodbye;
  }

  /** Handles a protocol violation by the server. The connection ends in the same way. */
  receivedFault(fault: OrthantError): void {
    this.#fault = fault;
  }

  /**
   * Sends what is waiting after the current task, so that calls in a loop share a frame. If a frame has just left, the next
   * tick sends it: a client never sends frames more often than it ticks.
   */
  async sendSoon(): Promise<void> {
    if (this.#isTickDue) return;
    this.#isTickDue = true;
    await Promise.resolve();
    this.#isTickDue = false;
    const nowMs = this.#options.time.nowMs();
    const sinceMs = nowMs - this.#sentMs;
    if (this.#status !== "joined" || this.#isHandling || (sinceMs >= 0 && sinceMs < TICK_MS)) return;
    // Counts even if everything has to wait for the server's limits.
    this.#sentMs = nowMs;
    this.#tick();
    if (this.#socket !== undefined) this.#plan();
  }

  /** Closes the connection permanently, after sending what is waiting. */
  close(error?: OrthantError): void {
    if (this.#status === "closed") return;
    if (this.#isOpen && !this.#isHandling && error === undefined) this.#frames.tick();
    this.#retry?.cancel();
    this.#release();
    this.#become("closed", error === undefined ? {} : { error });
  }

  get #url(): string {
    const { urls } = this.#options;
    return urls[this.#turn % urls.length] as string;
  }

  async #attempt(): Promise<void> {
    this.#become("connecting");
    this.#startedMs = this.#options.time.nowMs();
    const { tokens, openSocket } = this.#options;
    const url = this.#url;
    this.#attempts++;
    this.#isTokenDue = true;
    try {
      if ((await tokens.refresh()) === "refused before") {
        if (this.#status === "connecting") this.close(tokens.error);
        return;
      }
    } catch (error) {
      // The token issuer may be unavailable for a while, like the server.
      if (this.#status === "connecting") this.#wait(lost(`no token: ${String(error)}`, error));
      return;
    } finally {
      this.#isTokenDue = false;
    }
    // Closed while waiting for the token.
    if (this.#status !== "connecting") return;
    try {
      this.#listen(openSocket(url));
    } catch (error) {
      this.close(
        new OrthantError(
          "ORT_ARGUMENT",
          `cannot open ${url}: ${String(error)}; write it as ws://127.0.0.1:7440`,
          {},
          { cause: error },
        ),
      );
    }
  }

  #listen(socket: WebSocketLike): void {
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    const url = this.#url;
    let problem = "";
    const isCurrent = (): boolean => this.#socket === socket;
    socket.addEventListener("open", () => {
      if (isCurrent()) this.#opened(socket);
    });
    socket.addEventListener("message", ({ data }) => {
      if (isCurrent()) this.#received(data);
    });
    // A `close` event follows; this only adds detail to it.
    socket.addEventListener("error", (event) => {
      problem = problemOf(event);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (isCurrent())
        this.#drop(socketError(url, problem || reason || `the socket closed with code ${code}`));
    });
    this.#tickedMs = this.#options.time.nowMs();
    this.#plan();
  }

  #opened(socket: WebSocketLike): void {
    this.#isOpen = true;
    this.#receivedMs = this.#options.time.nowMs();
    this.#handle(() =>
      this.#frames.connected({
        send: (frame) => {
          if (this.#socket !== socket) return;
          this.#sentMs = this.#options.time.nowMs();
          socket.send(frame);
        },
        close: () => {
          if (this.#socket === socket) this.#fault ??= lost("the server does not keep to the protocol");
        },
      }),
    );
  }

  #received(data: unknown): void {
    this.#receivedMs = this.#options.time.nowMs();
    if (!(data instanceof ArrayBuffer)) {
      this.#drop(lost("the server sent text, which is not the protocol"));
      return;
    }
    const wasJoined = this.#status === "joined";
    this.#handle(() => this.#frames.receive(new Uint8Array(data)));
    // The first interest follows the welcome at once, so that the server's next tick can answer it.
    const hasJoined = !wasJoined && this.#status === "joined";
    // Browsers throttle the timers of a hidden page, but never its sockets.
    const isDue = this.#options.time.nowMs() - this.#tickedMs >= TICK_MS;
    if (this.#isOpen && (hasJoined || isDue)) this.#tick();
  }

  #plan(): void {
    this.#ticker?.cancel();
    this.#ticker = this.#options.time.after(TICK_MS, () => {
      this.#tick();
      if (this.#socket !== undefined) this.#plan();
    });
  }

  #tick(): void {
    const nowMs = this.#options.time.nowMs();
    const isLate = nowMs - this.#tickedMs > LATE_TICK_MS;
    this.#tickedMs = nowMs;
    if (isLate) this.#receivedMs = Math.max(this.#receivedMs, nowMs - SILENCE_MS + LATE_TICK_MS);
    if (this.#status === "connecting" && nowMs - this.#startedMs > this.#joinMs) {
      this.#drop(lost(`no welcome from ${this.#url} within ${this.#joinMs} ms`));
    } else if (this.#isOpen && nowMs - this.#receivedMs > SILENCE_MS) {
      this.#drop(lost(`the server said nothing for ${SILENCE_MS} ms`));
    } else if (this.#isOpen) {
      this.#handle(() => this.#frames.tick());
    }
  }

  /** Runs the protocol client. Requests to the connection by the client or its listeners wait until it is done. */
  #handle(work: () => void): void {
    this.#isHandling = true;
    try {
      work();
    } finally {
      this.#isHandling = false;
    }
    if (this.#socket === undefined) return;
    if (this.#goodbye !== undefined) this.#drop(lost(`the server said goodbye: ${this.#goodbye.reason}`));
    else if (this.#fault !== undefined) this.#drop(this.#fault);
  }

  /** Ends a connection, then retries or closes. */
  #drop(error: OrthantError): void {
    const goodbye = this.#goodbye;
    const hasJoined = this.#status === "joined";
    this.#goodbye = undefined;
    this.#fault = undefined;
    this.#release();
    this.#frames.disconnected();
    const ended = goodbye === undefined ? {} : { goodbye };
    const final = goodbye === undefined ? finalFault(error) : this.#finalError(goodbye, hasJoined);
    if (final === undefined) this.#wait(error, goodbye);
    else this.#become("closed", { ...ended, error: final });
  }

  #finalError(goodbye: Goodbye, hasJoined: boolean): OrthantError | undefined {
    if (goodbye.reason !== "credentials") return finalError(goodbye, hasJoined);
    const { tokens } = this.#options;
    return tokens.refuse(goodbye.detail) === "give up" ? tokens.error : undefined;
  }

  #wait(error: OrthantError, goodbye?: Goodbye): void {
    const { time, random } = this.#options;
    const wasStable = this.#joinedMs !== 0 && time.nowMs() - this.#joinedMs >= STABLE_MS;
    if (wasStable) this.#failures = 0;
    this.#joinedMs = 0;
    this.#failure = error;
    this.#turn++;
    // A token that expired during play is replaced at once, so that the player does not notice.
    const isRenewal = wasStable && goodbye?.reason === "credentials";
    const retryInMs = isRenewal ? 0 : retryWaitMs(this.#failures++, random, goodbye?.retryAfterMs);
    this.#retry = time.wait(retryInMs, () => this.#attempt());
    this.#become("waiting", { error, retryInMs, ...(goodbye === undefined ? {} : { goodbye }) });
  }

  #release(): void {
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

/** Returns what a socket says about its error. Several failed addresses of a host have only a code in common. */
function problemOf(event: object): string {
  const { message, error }: { message?: unknown; error?: unknown } = event;
  if (typeof message === "string" && message !== "") return message;
  const { code }: { code?: unknown } = Object(error);
  return typeof code === "string" ? code : "";
}

function lost(detail: string, cause?: unknown): OrthantError {
  if (isOrthantError(cause)) return cause;
  return new OrthantError("ORT_DISCONNECTED", detail, {}, { cause });
}
