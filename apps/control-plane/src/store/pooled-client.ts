import pg from "pg";

export interface PooledClientConfig extends pg.ClientConfig {
  /** As `name=value`. */
  readonly settings: readonly string[];
}

type Answer = (error: Error | null | undefined, result: pg.QueryResult) => void;

/** What `pg` calls on a query as its answer arrives. */
interface Answered {
  handleDataRow(row: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}

/**
 * A query whose settings hold for it alone. They are made by a statement in front of it, before the same Sync: so both
 * are one transaction, in one round trip, and whoever gets the session next finds nothing of it.
 */
class SettledQuery extends pg.Query {
  readonly #settings: string;
  /** Of the settings, not of the query. */
  #isPrologue = true;

  constructor(config: pg.QueryConfig & { readonly queryMode: "extended" }, settings: string, answer: Answer) {
    super(config, answer);
    this.#settings = settings;
  }

  override submit = (connection: pg.Connection): void => {
    connection.stream.cork();
    connection.parse({ name: "", text: this.#settings, types: [] }, true);
    connection.bind({}, true);
    connection.execute({}, true);
    const refused = pg.Query.prototype.submit.call(this, connection);
    connection.stream.uncork();
    return refused;
  };

  handleDataRow(row: unknown): void {
    if (!this.#isPrologue) (pg.Query.prototype as unknown as Answered).handleDataRow.call(this, row);
  }

  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isPrologue) this.#isPrologue = false;
    else (pg.Query.prototype as unknown as Answered).handleCommandComplete.call(this, message, connection);
  }
}

/**
 * A client behind a pooler that gives each transaction another session: it leaves nothing in one. Statements have no
 * names, so they are planned each time, and settings are made with each of them.
 */
export class PooledClient extends pg.Client {
  readonly #settings: string;

  constructor({ settings, ...config }: PooledClientConfig) {
    super(config);
    const calls = settings.map((setting) => {
      const [name, value] = setting.split("=");
      return `set_config('${name}', '${value}', true)`;
    });
    this.#settings = `SELECT ${calls.join(", ")}`;
    const simple = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((first: string | pg.QueryConfig, values?: unknown, last?: unknown): unknown => {
      const config: pg.QueryConfig =
        typeof first !== "string" ? first : Array.isArray(values) ? { text: first, values } : { text: first };
      // What has neither name nor values is `BEGIN`, `NOTIFY`, `VACUUM`: nothing that is planned.
      if (config.name === undefined && config.values === undefined) return simple(first, values, last);
      const { text, values: parameters } = config;
      const query = {
        text,
        queryMode: "extended" as const,
        ...(parameters === undefined ? {} : { values: parameters }),
      };
      const answer = [values, last].find((each) => typeof each === "function") as Answer | undefined;
      if (answer !== undefined) return void simple(new SettledQuery(query, this.#settings, answer));
      return new Promise((resolve, reject) => {
        const settle: Answer = (error, result) => (error ? reject(error) : resolve(result));
        simple(new SettledQuery(query, this.#settings, settle));
      });
    }) as pg.Client["query"];
  }
}
