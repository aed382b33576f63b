import type { ResticEngine } from '../../shared/device/backup.ts'
import { pause } from '../../shared/node/pause.ts'
import type { ResticEnd } from '../../shared/node/restic-refusals.ts'
import {
  type ResticListeners,
  type ResticRepository,
  type ResticRunner,
  runRestic as run,
} from '../../shared/node/restic-run.ts'

/** What the agent brings to every run of restic. */
export interface ResticSettings extends ResticRunner {
  serverUrl: string
  /** The authorities that vouch for the appliance, PEM; undefined where those of the system do. */
  authorities: string | undefined
}

/**
 * Runs restic once with what the server has sent for it.
 * @throws Error when it cannot be started
 */
export function runRestic(
  settings: ResticSettings,
  engine: ResticEngine,
  args: readonly string[],
  signal: AbortSignal,
  listeners: ResticListeners = {},
): Promise<ResticEnd> {
  const limits = engine.limitUploadKiB ? ['--limit-upload', String(engine.limitUploadKiB)] : []
  return run(settings, repositoryOf(engine, settings), [...limits, ...args], signal, listeners)
}

/** As many as restic has by itself: with more, agent and appliance compete where they share two processors. */
const mostConnections = 5
/** How long a piece may take that is sent beside others: the server gives up on it after an hour. */
const longestPieceSeconds = 5 * 60
const pieceKiB = 16 * 1024

/** Of a limited speed each gets so much that it can finish. */
export const connectionsFor = (limitUploadKiB = Number.POSITIVE_INFINITY): number =>
  Math.max(1, Math.min(mostConnections, Math.floor((limitUploadKiB * longestPieceSeconds) / pieceKiB)))

/** What restic is told of the repository. */
export function repositoryOf(
  { place, password, limitUploadKiB }: ResticEngine,
  { serverUrl, authorities }: ResticSettings,
): ResticRepository {
  if (place.at === 'elsewhere') {
    const { url, env, options, files } = place
    return { url, env, options, files, password }
  }
  const url = new URL(place.path, serverUrl)
  url.username = place.username
  url.password = place.password
  const files = authorities ? { caCertificate: authorities } : undefined
  const options = [`rest.connections=${connectionsFor(limitUploadKiB)}`]
  return { url: `rest:${url.href}`, env: {}, options, files, password }
}

/** restic asks for most of a minute for a lock that goes while it looks: then there is none left to remove. */
const unlockMs = 10_000
/** The storage may still be removing the lock of the run that was stopped. */
const settleMs = 300

/**
 * Removes the lock that a run may have left that was stopped: restic forgets one that it has just made. Locks in use stay.
 * @returns false when the repository could not be asked
 */
export async function unlockAfterStop(settings: ResticSettings, engine: ResticEngine): Promise<boolean> {
  const patience = AbortSignal.timeout(unlockMs)
  await pause(settleMs, patience)
  return (await runRestic(settings, engine, ['unlock'], patience)).code === 0
}
