import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { AgentFailure, exitCode } from './failure.ts'

/**
 * Keeps a second agent from running with the same identity: both would run its commands. What is held is an open
 * socket, which the system takes back however the process ends.
 */
export async function holdLock(stateDir: string): Promise<Server> {
  const path = lockPath(stateDir)
  if (await answers(path)) {
    throw new AgentFailure(exitCode.badConfig, `An agent is already running with ${stateDir}.`)
  }
  if (process.platform !== 'win32') rmSync(path, { force: true }) // left behind by one that was killed
  return new Promise((resolve, reject) => {
    const server = createServer((visitor) => visitor.end())
    server.once('error', reject)
    server.listen(path, () => resolve(server.unref()))
  })
}

const lockPath = (stateDir: string) =>
  process.platform === 'win32'
    ? `\\\\.\\pipe\\homeport-agent-${createHash('sha256').update(stateDir.toLowerCase()).digest('hex').slice(0, 16)}`
    : join(stateDir, 'lock')

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}
