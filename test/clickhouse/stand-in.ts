import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#test/free-port.ts'

const password = 'secret'

/** A ClickHouse that can be stopped and started again with its data. */
export async function startClickHouse() {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-clickhouse-'))
  const port = await freePort()
  const start = async () => {
    const child = fork(new URL('../stand-ins/clickhouse/server.mjs', import.meta.url), {
      env: {
        ...process.env,
        STAND_IN_FOLDER: folder,
        STAND_IN_PORT: String(port),
        STAND_IN_PASSWORD: password,
      },
    })
    await once(child, 'message')
    return child
  }
  let child = await start()
  const stop = async () => {
    const exited = once(child, 'exit')
    child.kill()
    await exited
  }
  return {
    host: `127.0.0.1:${port}`,
    url: `http://hoplet:${password}@127.0.0.1:${port}/hoplet`,
    stop,
    async startAgain() {
      child = await start()
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
