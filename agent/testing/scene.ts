import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished, vi } from 'vitest'
import { createLog } from '../log.ts'
import { runAgent } from '../run.ts'
import { saveState } from '../state.ts'
import { agentId, authToken, enrollReply, type FakeServer, startFakeServer } from './fake-server.ts'

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-agent-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function makeServer(...tls: Parameters<typeof startFakeServer>): Promise<FakeServer> {
  const server = await startFakeServer(...tls)
  onTestFinished(() => server.stop())
  return server
}

/** A state folder as enrollment leaves it. */
export async function makeEnrolled(server: FakeServer): Promise<string> {
  const stateDir = await makeFolder()
  saveState(stateDir, {
    serverUrl: server.url,
    agentId,
    authToken,
    deviceId: enrollReply.deviceId,
    orgId: enrollReply.orgId,
    siteId: enrollReply.siteId,
    heartbeatIntervalSeconds: 60,
    enrolledAt: new Date().toISOString(),
  })
  return stateDir
}

/** The whole agent in this process, with nothing that could switch off the machine. */
export function startAgent(stateDir: string) {
  const lines: string[] = []
  const orders: string[] = []
  const stop = new AbortController()
  const done = runAgent({
    stateDir,
    log: createLog({ verbose: true, write: (line) => void lines.push(line) }),
    signal: stop.signal,
    power: async (action, delay) => void orders.push(`${action} ${delay}`),
    removeService: async () => {},
  })
  const agent = {
    lines,
    orders,
    done,
    async stop() {
      stop.abort()
      await done
    },
  }
  onTestFinished(() => agent.stop().catch(() => {}))
  return agent
}

const entry = fileURLToPath(new URL('../index.ts', import.meta.url))

/** The agent as its own process, to be killed; the first folder of its PATH is the test's. */
export function spawnAgent(args: string[], path?: string) {
  const env = { ...process.env, ...(path && { PATH: `${path}:${process.env.PATH}` }) }
  const child = spawn(process.execPath, [entry, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => {
    output.stdout += text
  })
  child.stderr.on('data', (text) => {
    output.stderr += text
  })
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output, exit }
}

/** Waits for what must come to be true, as long as a busy machine may need. */
export const eventually = <T>(check: () => T) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
