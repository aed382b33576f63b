import { z } from 'zod'
import { type BackupOutcome, type BackupRunPayload, halfMadeRepository } from '../../shared/device/backup.ts'
import { pause } from '../../shared/node/pause.ts'
import { type ResticEnd, refusalOf, refusedBecause, withoutCredentials } from '../../shared/node/restic-refusals.ts'
import type { BegunRuns } from './begun-runs.ts'
import { checksumsOf } from './checksums.ts'
import { ChosenFiles } from './chosen-files.ts'
import { type SendListing, sendListing } from './listing.ts'
import { snapshotsOf } from './made-snapshots.ts'
import { excludeArguments } from './patterns.ts'
import { lookFor, onThisComputer } from './places.ts'
import { type ResticSettings, runRestic, unlockAfterStop } from './restic-run.ts'
import type { SnapshotNode } from './snapshot-nodes.ts'

export interface BackupProgress {
  phase: 'preparing' | 'uploading' | 'finishing'
  current: number
  /** 0 while it is not known. */
  total: number
  filesDone?: number
  filesTotal?: number
  currentFile?: string
}

export interface BackupRun {
  settings: ResticSettings
  payload: BackupRunPayload
  signal: AbortSignal
  onProgress: (progress: BackupProgress) => void
  sendListing: SendListing
  begun: BegunRuns
}

const status = z.object({
  message_type: z.literal('status'),
  // Older versions leave out what is 0.
  total_files: z.number().default(0),
  files_done: z.number().default(0),
  total_bytes: z.number().default(0),
  bytes_done: z.number().default(0),
  current_files: z.array(z.string()).default([]),
})
const summary = z.object({
  message_type: z.literal('summary'),
  data_added: z.number().default(0),
  total_files_processed: z.number().default(0),
  total_bytes_processed: z.number().default(0),
  snapshot_id: z.string(),
})
type Summary = z.output<typeof summary>
const failure = z.object({
  message_type: z.literal('error'),
  // Of a folder restic gives no reason.
  error: z.object({ Err: z.unknown().optional(), message: z.string().optional() }).loose().optional(),
  during: z.string().optional(),
  item: z.string().default(''),
})

/** `Err` of an error of the operating system is its number. */
const reasons: Record<number, string> = {
  1: 'not permitted',
  2: 'does not exist',
  5: 'cannot be read',
  13: 'access denied',
}
const keptFailures = 1000
const firstWaitMs = 30_000
const patienceMs = 30 * 60_000
/** For a look at the repository after the end, also when the backup was stopped. */
const lookMs = 2 * 60_000

interface FailedFile {
  path: string
  error: string
}

/** Backs up with restic, and says in the end what is there: a snapshot that is not certain is none. */
export async function backUp(run: BackupRun): Promise<BackupOutcome> {
  try {
    return await attempt(run)
  } catch (error) {
    if (run.signal.aborted) return stopped
    throw error
  } finally {
    if (run.signal.aborted) await leaveUnlocked(run)
  }
}

/** What the agent cannot do any more before it ends, the next backup does. */
async function leaveUnlocked({ settings, payload: { engine, jobId }, begun }: BackupRun): Promise<void> {
  const open = begun.of(engine.repositoryId)
  begun.set(engine.repositoryId, [...open, jobId])
  if (await unlockAfterStop(settings, engine)) begun.set(engine.repositoryId, open)
}

async function attempt(run: BackupRun): Promise<BackupOutcome> {
  const { payload, onProgress, begun } = run
  const { engine, jobId } = payload
  const places = onThisComputer(payload)
  onProgress({ phase: 'preparing', current: 0, total: 0 })
  const { present, missing } = await lookFor(places.paths)
  if (present.length === 0) return failed('None of the folders to back up exists on this device')
  const refused = engine.init ? await makeRepository(run) : null
  if (run.signal.aborted) return stopped
  if (refused) return refused

  const cutOff = begun.of(engine.repositoryId)
  const recovered = cutOff.length > 0 ? await tidyUpAfter(run, cutOff) : new Map<string, string>()
  begun.set(engine.repositoryId, [...cutOff, jobId])
  const { outcome, isCertain } = await makeSnapshot(run, { present, missing, excludes: places.excludes })
  begun.set(engine.repositoryId, [...(recovered ? [] : cutOff), ...(isCertain ? [] : [jobId])])
  if (!recovered?.size) return outcome
  return { ...outcome, recovered: [...recovered].map(([id, snapshotId]) => ({ jobId: id, snapshotId })) }
}

/** Removes the locks of runs that were cut off; answers the snapshots that they made, null when that remains unknown. */
async function tidyUpAfter({ settings, payload, signal }: BackupRun, jobIds: readonly string[]) {
  await runRestic(settings, payload.engine, ['unlock'], signal)
  return snapshotsOf(settings, payload.engine, jobIds, signal)
}

interface Made {
  outcome: BackupOutcome
  /** Whether it is known that there is a snapshot, or that there is none. */
  isCertain: boolean
}

interface Selected {
  present: readonly string[]
  missing: readonly string[]
  excludes: readonly string[]
}

async function makeSnapshot(run: BackupRun, { present, missing, excludes }: Selected): Promise<Made> {
  const { payload, onProgress, signal } = run
  const { engine } = payload
  let said: Summary | undefined
  let latest: BackupProgress | undefined
  let failures: FailedFile[] = []
  let failureCount = 0
  const listen = () => {
    said = undefined
    failures = missing.map((path) => ({ path, error: 'does not exist' }))
    failureCount = missing.length
    return onJson
  }
  const onJson = (value: unknown) => {
    const progress = status.safeParse(value).data
    if (progress) {
      latest = progressOf(progress)
      return onProgress(latest)
    }
    said = summary.safeParse(value).data ?? said
    const problem = failure.safeParse(value).data
    // What the scan cannot read, the backup itself cannot read either, and says so again.
    if (!problem || problem.item === '' || problem.during === 'scan') return
    failureCount++
    if (failures.length < keptFailures) failures.push({ path: problem.item, error: errorText(problem) })
  }
  const tags = engine.tags.flatMap((tag) => ['--tag', tag])
  const args = ['backup', '--host', engine.host, ...tags, ...excludeArguments(excludes), '--', ...present]
  const end = await patiently(run, args, listen)
  const listed = said && !signal.aborted ? await list(run, said) : unlisted
  // It may be there although restic did not say so: the answer of the storage was lost, or somebody stopped the backup.
  const id = listed.id ?? (said || mayHaveMadeOne(end) ? await ownSnapshot(run) : undefined)
  if (!id) {
    const reason = end.code === 0 ? (said ? 'The snapshot is not in the repository' : wordless) : refusedBecause(end)
    return { outcome: signal.aborted ? stopped : failed(reason), isCertain: id === undefined }
  }
  const counted = {
    snapshotId: id,
    isListed: listed.isSent,
    filesBackedUp: said?.total_files_processed ?? latest?.filesDone ?? 0,
    bytesBackedUp: said?.total_bytes_processed ?? latest?.current ?? 0,
    ...(said && { bytesAdded: said.data_added }),
    ...(listed.checksums.length > 0 && { checksums: listed.checksums }),
  }
  if (failureCount === 0) return { outcome: { status: 'completed', ...counted }, isCertain: true }
  // More than a tenth missing is a part of a backup, and so is one without a folder that was asked for.
  const isPartial = missing.length > 0 || failureCount * 10 > counted.filesBackedUp + failureCount
  const outcome: BackupOutcome = {
    status: isPartial ? 'partial' : 'completed',
    ...counted,
    errorCount: failureCount,
    failedFiles: failures,
    warning: `${failureCount} files or folders could not be read`,
  }
  return { outcome, isCertain: true }
}

/**
 * Tells the server the names of the files, and remembers what some of them were. A snapshot that was made is one, also when
 * the backup is stopped meanwhile.
 */
async function list({ settings, payload, signal, onProgress, sendListing: send }: BackupRun, said: Summary) {
  onProgress({ phase: 'finishing', current: said.total_bytes_processed, total: said.total_bytes_processed })
  const chosen = new ChosenFiles()
  const onFile = (node: SnapshotNode) => chosen.add(node)
  try {
    const listed = await sendListing(settings, payload.engine, said.snapshot_id, send, signal, onFile)
    return { ...listed, checksums: listed.isSent ? await checksumsOf(chosen.list(), signal) : [] }
  } catch (error) {
    if (!signal.aborted) throw error
    return unlisted
  }
}

const unlisted = { id: undefined, isSent: false, checksums: [] }
const wordless = 'restic did not say what it has done'

/** Whether restic got as far as to work with the repository. */
const mayHaveMadeOne = (end: ResticEnd): boolean =>
  !['no-repository', 'wrong-password', 'locked'].includes(refusalOf(end))

/** The id of the snapshot that this backup has made; undefined when there is none, null when nobody can say. */
async function ownSnapshot({ settings, payload }: BackupRun): Promise<string | undefined | null> {
  const found = await snapshotsOf(settings, payload.engine, [payload.jobId], AbortSignal.timeout(lookMs))
  return found === null ? null : found.get(payload.jobId)
}

const failed = (error: string): BackupOutcome => ({
  status: 'failed',
  filesBackedUp: 0,
  bytesBackedUp: 0,
  error: withoutCredentials(error),
})

const stopped: BackupOutcome = { ...failed('The backup was stopped'), status: 'stopped' }

/** Makes the repository if there is none yet; null when all is well. */
async function makeRepository(run: BackupRun): Promise<BackupOutcome | null> {
  const { settings, payload, signal } = run
  const { engine } = payload
  let end = await patiently(run, ['cat', 'config'])
  if (refusalOf(end) === 'no-repository') end = await runRestic(settings, engine, ['init'], signal)
  // The appliance itself removes keys from its store that open nothing.
  if (end.code === 0 && engine.place.at === 'elsewhere') end = await removeStrayKeys(run)
  if (end.code === 0) return null
  return failed(halfMade.test(end.stderr) ? halfMadeRepository : refusedBecause(end))
}

/** restic writes a key first, and older versions then try any key that the password opens. */
const halfMade = /config or key \S+ is damaged|repository already contains keys/

const keyList = z.array(z.object({ id: z.string(), current: z.boolean() }))

/** Fails where one of them comes before that of the repository. */
async function removeStrayKeys({ settings, payload: { engine }, signal }: BackupRun): Promise<ResticEnd> {
  let stray: string[] = []
  const onJson = (value: unknown) => {
    const keys = keyList.safeParse(value).data ?? []
    stray = keys.filter(({ current }) => !current).map(({ id }) => id)
  }
  const end = await runRestic(settings, engine, ['key', 'list'], signal, { onJson })
  for (const id of stray) await runRestic(settings, engine, ['key', 'remove', id], signal)
  return end
}

/**
 * Runs restic until it can do what it should. The server may hold the repository for a while, and the way to the storage
 * may be cut: restic itself gives up after a minute. A lock that a killed run has left is removed immediately, one in use stays.
 * @param listen called for each attempt
 */
async function patiently(run: BackupRun, args: string[], listen?: () => (value: unknown) => void): Promise<ResticEnd> {
  const { settings, payload, signal, onProgress } = run
  const deadline = performance.now() + patienceMs
  for (let waitMs = 0; ; waitMs = Math.max(firstWaitMs, waitMs * 2)) {
    const onJson = listen?.()
    const end = await runRestic(settings, payload.engine, args, signal, { ...(onJson && { onJson }) })
    const refusal = end.code === 0 || signal.aborted ? 'other' : refusalOf(end)
    if (refusal !== 'locked' && refusal !== 'unreachable') return end
    const isCut = refusal === 'unreachable'
    if (performance.now() + waitMs > deadline) return isCut ? end : { ...end, stderr: stillLocked }
    onProgress({ phase: 'preparing', current: 0, total: 0 })
    await pause(isCut ? afterCutMs : waitMs, signal)
    await runRestic(settings, payload.engine, ['unlock'], signal)
    // The storage may have taken the snapshot before the answer was lost.
    if (isCut && listen && (await ownSnapshot(run))) return end
  }
}

const stillLocked = 'Repository is locked by another operation'
const afterCutMs = 5000

const progressOf = ({ total_bytes, bytes_done, total_files, files_done, current_files }: z.output<typeof status>) => ({
  phase: 'uploading' as const,
  current: bytes_done,
  total: total_bytes,
  filesDone: files_done,
  filesTotal: total_files,
  ...(current_files[0] !== undefined && { currentFile: current_files[0] }),
})

/** What newer ones say of it: as in `open /srv/x: permission denied`. */
const reasonTexts: Record<string, string> = {
  'operation not permitted': 'not permitted',
  'no such file or directory': 'does not exist',
  'input/output error': 'cannot be read',
  'permission denied': 'access denied',
}

function errorText({ error, item }: z.output<typeof failure>): string {
  if (error?.message) {
    // After the path, which may hold anything.
    const at = error.message.lastIndexOf(`${item}: `)
    const reason = at < 0 ? error.message : error.message.slice(at + item.length + 2)
    return reasonTexts[reason] ?? reason
  }
  return (typeof error?.Err === 'number' && reasons[error.Err]) || 'cannot be read'
}
