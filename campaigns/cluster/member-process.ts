import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { MemberNews, MemberOrder, MemberSettings } from "./member.ts";

const COMPLAINT_CHARACTERS_MAX = 20_000;

/** An owner or gateway in its own process, and possibly its own network. */
export class MemberProcess {
  readonly name: string;
  readonly #command: readonly string[];
  readonly #onNews: (news: MemberNews) => void;
  #child: ChildProcess | undefined;
  #complaints = "";

  constructor(
    prefix: readonly string[],
    program: URL,
    settings: MemberSettings,
    onNews: (news: MemberNews) => void,
  ) {
    this.name = settings.name;
    this.#command = [...prefix, process.execPath, fileURLToPath(program), JSON.stringify(settings)];
    this.#onNews = onNews;
  }

  /** Resolves when the process is ready. */
  async start(): Promise<void> {
    const [program = "", ...parameters] = this.#command;
    const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "pipe", "ipc"] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (text: Buffer) => {
        this.#complaints = (this.#complaints + text.toString()).slice(-COMPLAINT_CHARACTERS_MAX);
      });
    }
    await new Promise<void>((resolve, reject) => {
      child.on("message", (news: MemberNews) => {
        if (news.kind === "ready") resolve();
        this.#onNews(news);
      });
      child.once("error", reject);
      child.once("close", () => reject(new Error(`${this.name} ended: ${this.#complaints}`)));
    });
  }

  /** Output other than news; should be empty. */
  get complaints(): string {
    return this.#complaints;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends an order and waits until it is done. Throws if it failed. */
  async execute(order: MemberOrder): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) throw new Error(`${this.name} does not run`);
    const done = new Promise<string>((resolve) => {
      const end = (detail: string): void => {
        child.off("message", take);
        child.off("close", ended);
        resolve(detail);
      };
      const take = (news: MemberNews): void => {
        if (news.kind === "done") end(news.detail);
      };
      const ended = (): void => end("it ended");
      child.on("message", take);
      child.on("close", ended);
      child.send(order, (error) => {
        if (error !== null) end(String(error));
      });
    });
    const detail = await done;
    if (detail !== "") throw new Error(`${this.name} could not ${order.kind}: ${detail}`);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  }

  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
  }
}
