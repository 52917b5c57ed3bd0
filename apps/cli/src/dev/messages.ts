/** What a worker's process says to `cairn dev`. */
export type FromWorker =
  | { readonly kind: "log"; readonly line: string }
  | {
      readonly kind: "connected";
      readonly namespace: string;
      readonly workflows: readonly { readonly name: string; readonly version: string }[];
      /** An input for the first of them, encoded; null if it needs none. */
      readonly sample: string | null;
    };
