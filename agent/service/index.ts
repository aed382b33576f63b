import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import escapeHtml from 'escape-html'
import { copyFileDurably } from '../../shared/node/files.ts'
import { AgentFailure, exitCode, reasonOf } from '../failure.ts'
import { requireState } from '../state.ts'
import { succeeds } from '../tool.ts'
import { launchd } from './launchd.ts'
import type { ServiceManager } from './manager.ts'
import { quote, systemd } from './systemd.ts'
import { scheduledTask } from './windows.ts'

const managers: Partial<Record<NodeJS.Platform, ServiceManager>> = {
  linux: systemd,
  darwin: launchd,
  win32: scheduledTask,
}

function platformManager(): ServiceManager {
  const manager = managers[process.platform]
  if (manager) return manager
  throw new AgentFailure(exitCode.badConfig, `Services are not supported on ${process.platform}; start "run" yourself.`)
}

/** @returns how to read the service's log */
export async function installService(stateDir: string): Promise<string> {
  const manager = await administratedManager()
  requireState(stateDir)
  const logFile = join(stateDir, 'agent.log')
  const logArguments = manager.logHint ? [] : ['--log-file', logFile]
  const command = [
    realpathSync(process.execPath),
    placeProgram(stateDir),
    'run',
    '--state-dir',
    stateDir,
    ...logArguments,
  ]
  await act(manager.install({ command, stateDir }))
  return manager.logHint ?? logFile
}

export async function uninstallService(): Promise<boolean> {
  const manager = await administratedManager()
  if ((await manager.describe()) === undefined) return false
  await manager.stop().catch(() => {}) // not running is as good
  await act(manager.remove())
  return true
}

export async function serviceStatus(): Promise<'not installed' | 'running' | 'stopped'> {
  const manager = platformManager()
  if ((await manager.describe()) === undefined) return 'not installed'
  return (await manager.isRunning()) ? 'running' : 'stopped'
}

/** From inside the service: removes it if it is the one that runs with this state, and leaves ending to the caller. */
export async function removeOwnService(stateDir: string): Promise<void> {
  const manager = platformManager()
  const definition = await manager.describe()
  if (definition !== undefined && isDefinitionFor(definition, stateDir)) await manager.remove()
}

/** A unit quotes the folder; XML escapes it, but Windows gives an apostrophe back as it is. */
export function isDefinitionFor(definition: string, stateDir: string): boolean {
  const xml = escapeHtml(stateDir)
  return [stateDir, quote(stateDir), xml, xml.replaceAll('&#39;', "'")].some((written) => definition.includes(written))
}

/** The file the service runs must belong to the administrator: the single-file agent is copied into the state folder. */
function placeProgram(stateDir: string): string {
  const program = realpathSync(process.argv[1] ?? '')
  if (!program.endsWith('.mjs')) return program // from source, where it lies
  const placed = join(resolve(stateDir), 'homeport-agent.mjs')
  if (program !== placed) copyFileDurably(program, placed)
  return placed
}

async function administratedManager(): Promise<ServiceManager> {
  const manager = platformManager()
  const isAdministrator =
    process.platform === 'win32' ? await succeeds('net.exe', ['session']) : process.getuid?.() === 0
  if (isAdministrator) return manager
  const how = process.platform === 'win32' ? 'a terminal opened as Administrator' : 'sudo'
  throw new AgentFailure(exitCode.badConfig, `Services belong to the whole machine; use ${how}.`)
}

async function act(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    throw new AgentFailure(
      exitCode.unexpected,
      `The service manager refused: ${reasonOf(error)
        .trim()
        .replace(/\s*\n\s*/g, '; ')}`,
    )
  }
}
