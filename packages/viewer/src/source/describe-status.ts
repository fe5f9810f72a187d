import type { Status, StatusDetail } from "@orthant/client";
import type { WorldStatus } from "../message/world-facts.ts";

/** Describes the state of a client's connection for people. */
export function describeStatus(status: Status, { error, goodbye, retryInMs }: StatusDetail): WorldStatus {
  switch (status) {
    case "connecting":
      return { kind: "connecting", text: "Connecting …" };
    case "joined":
      return { kind: "ready", text: "" };
    case "waiting": {
      const seconds = Math.max(1, Math.round((retryInMs ?? 0) / 1000));
      const why = goodbye?.detail || "The connection was lost.";
      return { kind: "offline", text: `Offline. ${sentence(why)} Trying again in ${seconds} s.` };
    }
    case "closed":
      if (error?.code === "ORT_VERSION") {
        return { kind: "outdated", text: "This page and the server do not fit together. Reload the page." };
      }
      if (error?.code === "ORT_CREDENTIALS") {
        const why = sentence(goodbye?.detail ?? "");
        return { kind: "refused", text: `The server lets in only those who have a token. ${why}`.trim() };
      }
      return { kind: "refused", text: `The server ended the visit. ${sentence(error?.detail ?? "")}`.trim() };
  }
}

function sentence(text: string): string {
  if (text === "") return "";
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
