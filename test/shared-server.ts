interface Closable {
  close(): Promise<void>
}

/** The server that the files of a worker share (`sharedServer` in server.ts). */
export const shared: { server?: Promise<Closable> | undefined } = {}

/** For a file that fakes timers: a server in this process would lose its own, and count no visit any more. The next file starts another. */
export async function endSharedServer(): Promise<void> {
  const ending = await shared.server
  shared.server = undefined
  await ending?.close()
}
