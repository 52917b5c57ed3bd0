import pg from "pg";

export async function connect() {
  const client = new pg.Client();
  await client.connect();
  return client;
}
