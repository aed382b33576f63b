import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { writeFileDurably } from '../shared/node/files.ts'
import { AgentFailure, exitCode } from './failure.ts'
import { makePrivateFolder, readIfPresent } from './files.ts'
import { run, succeeds } from './tool.ts'

/** What enrollment left behind. The agent id becomes part of addresses and the token part of a header. */
const agentState = z.object({
  serverUrl: z.url({ protocol: /^https?$/ }),
  agentId: z.string().regex(/^([0-9a-f]{32,128}|[0-9a-f-]{36})$/i),
  deviceId: z.string(),
  orgId: z.string(),
  siteId: z.string(),
  authToken: z.string().regex(/^[\x21-\x7e]+$/),
  heartbeatIntervalSeconds: z.number().transform((seconds) => Math.min(3600, Math.max(5, seconds))),
  deviceRole: z.string().optional(),
  enrolledAt: z.string(),
})
export type AgentState = z.infer<typeof agentState>

const statePath = (stateDir: string) => join(stateDir, 'agent.json')

/** @returns undefined when this device is not enrolled */
export function loadState(stateDir: string): AgentState | undefined {
  const text = readIfPresent(statePath(stateDir))
  if (text === undefined) return undefined
  const parsed = agentState.safeParse(parseOrNull(text))
  if (parsed.success) return parsed.data
  throw new AgentFailure(
    exitCode.badConfig,
    `${statePath(stateDir)} is damaged (${parsed.error.issues[0]?.path.join('.') || 'not JSON'}); enroll again with --force.`,
  )
}

export function requireState(stateDir: string): AgentState {
  const state = loadState(stateDir)
  if (state) return state
  throw new AgentFailure(
    exitCode.badConfig,
    `This device is not enrolled (nothing in ${stateDir}); run "enroll" first.`,
  )
}

/** @throws ZodError when the server handed out something unusable */
export function saveState(stateDir: string, state: AgentState): void {
  writeFileDurably(statePath(stateDir), `${JSON.stringify(agentState.parse(state), null, 2)}\n`)
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Makes the folder so that only its owner and the system's administrators can read it. */
export async function prepareStateDir(stateDir: string): Promise<void> {
  makePrivateFolder(stateDir)
  if (process.platform !== 'win32') return
  for (const args of icaclsCalls(stateDir, await succeeds('net.exe', ['session']))) await run('icacls.exe', args)
}

const system = '*S-1-5-18'
const administrators = '*S-1-5-32-544'
const ownerRights = '*S-1-3-4'

/**
 * File modes mean nothing on Windows, and any user may create a folder in %ProgramData% before the agent does. So an
 * administrator takes ownership first; else the creator would keep rights on what SYSTEM runs.
 */
export function icaclsCalls(stateDir: string, isElevated: boolean): string[][] {
  const grant = (...sids: string[]) => sids.flatMap((sid) => ['/grant:r', `${sid}:(OI)(CI)F`])
  if (!isElevated) return [[stateDir, '/inheritance:r', ...grant(system, administrators, ownerRights)]]
  return [
    [stateDir, '/setowner', administrators, '/T', '/Q'],
    [stateDir, '/reset', '/T', '/Q'],
    [stateDir, '/inheritance:r', ...grant(system, administrators)],
  ]
}

export function defaultStateDir(environment = process.env, platform = process.platform): string {
  if (environment.HOMEPORT_AGENT_STATE_DIR) return environment.HOMEPORT_AGENT_STATE_DIR
  if (platform === 'win32') return join(environment.ProgramData ?? 'C:\\ProgramData', 'Homeport Agent')
  const isRoot = process.getuid?.() === 0
  if (platform === 'darwin') {
    return join(isRoot ? '/' : homedir(), 'Library', 'Application Support', 'Homeport Agent')
  }
  return isRoot ? '/var/lib/homeport-agent' : join(homedir(), '.local/state/homeport-agent')
}
