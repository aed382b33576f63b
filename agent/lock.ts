import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { errorCode } from '../shared/thrown.ts'
import { AgentFailure, exitCode } from './failure.ts'

/**
 * Keeps a second agent from running with the same identity: both would run its commands. What is held is an open
 * socket, which the system takes back however the process ends.
 * @throws AgentFailure when another agent has it
 */
export async function holdLock(stateDir: string): Promise<Server> {
  try {
    return process.platform === 'win32' ? await listen(pipeName(stateDir)) : await holdSocket(stateDir)
  } catch (error) {
    const isHeld = error instanceof Held || errorCode(error) === 'EADDRINUSE'
    throw isHeld ? new AgentFailure(exitCode.badConfig, `An agent is already running with ${stateDir}.`) : error
  }
}

class Held extends Error {}

/** Windows gives the name of a pipe to one process, and frees it with the process. */
const pipeName = (stateDir: string) =>
  `\\\\.\\pipe\\homeport-agent-${createHash('sha256').update(stateDir.toLowerCase()).digest('hex').slice(0, 16)}`

/** How long two agents that started together have for one of them to give way. */
const patienceMs = 30_000
/** What an agent that has the lock sends to each that connects. */
const holds = 'held'

/**
 * A socket file outlives its process, and one name cannot be taken over safely: between seeing that nobody answers and
 * removing the file, another agent may have put its own there. So each agent has a name of its own, shows itself first
 * and then looks for others. Of two that see each other the one with the later name gives way; one that saw nobody has the
 * lock and tells it to all that come later, whatever their names.
 */
async function holdSocket(stateDir: string): Promise<Server> {
  const own = `lock-${Date.now().toString(36)}-${randomBytes(2).toString('hex')}`
  const path = join(stateDir, own)
  let isHeld = false
  const server = await listen(`${path}${draftEnding}`, () => (isHeld ? holds : ''))
  server.once('close', () => rmSync(path, { force: true }))
  try {
    showSelf(path)
    for (const deadline = performance.now() + patienceMs; ; await setTimeout(20)) {
      const others = await othersAlive(stateDir, own)
      if (others.some(({ name, hasLock }) => hasLock || name < own) || performance.now() > deadline) throw new Held()
      if (others.length === 0) break
    }
    isHeld = true
  } catch (error) {
    server.close()
    rmSync(path, { force: true })
    throw error
  }
  removeDrafts(stateDir)
  return server
}

/** Under its name a socket is found only now, when it answers. */
function showSelf(path: string): void {
  try {
    renameSync(`${path}${draftEnding}`, path)
  } catch (error) {
    // Another agent got the lock meanwhile and tidied up.
    throw errorCode(error) === 'ENOENT' ? new Held() : error
  }
}

const draftEnding = '.new'
const socketsIn = (stateDir: string) => readdirSync(stateDir).filter((name) => /^lock(-|$)/.test(name))

/** Removes what agents that were killed left behind: a name is never used again, so this hits no living one. */
async function othersAlive(stateDir: string, own: string): Promise<{ name: string; hasLock: boolean }[]> {
  const alive: { name: string; hasLock: boolean }[] = []
  for (const name of socketsIn(stateDir)) {
    if (name === own || name.endsWith(draftEnding)) continue
    const answer = await answerOf(join(stateDir, name))
    if (answer === null) rmSync(join(stateDir, name), { force: true })
    else alive.push({ name, hasLock: answer === holds })
  }
  return alive
}

/** Only with the lock held: an agent that is just starting finds its draft gone and gives way, as it must. */
function removeDrafts(stateDir: string): void {
  for (const name of socketsIn(stateDir)) if (name.endsWith(draftEnding)) rmSync(join(stateDir, name), { force: true })
}

function listen(path: string, answer = () => ''): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((visitor) => {
      visitor.on('error', () => {}) // One that does not wait for the answer.
      visitor.end(answer())
    })
    server.once('error', reject)
    server.listen(path, () => resolve(server.unref()))
  })
}

/** How long an agent has to answer; one that hangs is alive all the same. */
const answerMs = 1_000

/** What the agent behind a socket sends; null when there is none. */
function answerOf(path: string): Promise<string | null> {
  const nobody = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']
  return new Promise((resolve) => {
    let text = ''
    const probe = connect(path)
    probe.setEncoding('utf8')
    probe.on('data', (part: string) => {
      text += part
    })
    probe.setTimeout(answerMs, () => probe.destroy())
    probe.once('close', () => resolve(text))
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(nobody.includes(code ?? '') ? null : text))
  })
}
