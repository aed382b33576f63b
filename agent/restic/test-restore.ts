import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { TestRestorePayload, VerificationOutcome } from '../../shared/device/backup-verification.ts'
import { type ResticEnd, refusedBecause } from '../../shared/node/restic-refusals.ts'
import { reasonOf } from '../failure.ts'
import { parseJson } from '../server-client.ts'
import { RandomChoice, withinBytes } from './chosen-files.ts'
import { Comparison } from './comparison.ts'
import { literalPattern } from './patterns.ts'
import { type ResticSettings, runRestic, unlockAfterStop } from './restic-run.ts'
import { restoreComplaints } from './restore-complaints.ts'
import { batches } from './restore-plan.ts'
import { nodeIn, type SnapshotNode } from './snapshot-nodes.ts'
import { freeBytesAt } from './staging.ts'
import { makeTestFolder, removeLeftTestFolders, removeTestFolder } from './test-restore-folder.ts'

export interface TestRestoreProgress {
  phase: 'preparing' | 'restoring' | 'comparing'
  current: number
  total: number
}

export interface TestRestoreRun {
  settings: ResticSettings
  payload: TestRestorePayload
  /** Private; each test restore gets a folder of its own in it. */
  folder: string
  signal: AbortSignal
  onProgress: (progress: TestRestoreProgress) => void
}

const gigabyte = 1024 ** 3
/** Beside the files that there are checksums of. */
const furtherFiles = 500
/** Nothing else on the disk is to want for room. */
const roomFactor = 1.2

/** What is restored: everything, or these files. */
interface Scope {
  files: ReadonlyMap<string, SnapshotNode> | 'all'
  bytes: number
  totalFiles: number
  totalBytes: number
}

/** Restores a snapshot, or a part of a large one, to a folder of the agent, compares it, and removes it again. */
export async function testRestore(run: TestRestoreRun): Promise<VerificationOutcome> {
  const begun = performance.now()
  const { payload, settings, folder, signal } = run
  let own: string | undefined
  let outcome: VerificationOutcome
  try {
    await removeLeftTestFolders(folder)
    const scope = await scopeOf(run)
    own = await makeTestFolder(folder, payload.verificationId)
    outcome = await restoreAndCompare(run, scope, own)
  } catch (error) {
    outcome = failed(reasonOf(error))
  }
  const cleanedUp = own === undefined || (await removeTestFolder(folder, own))
  if (signal.aborted) {
    await unlockAfterStop(settings, payload.engine).catch(() => {})
    outcome = { ...failed('The test restore was stopped'), status: 'stopped' }
  }
  const durationMs = Math.round(performance.now() - begun)
  return { ...outcome, durationMs, cleanedUp, ...(own !== undefined && { restorePath: own }) }
}

const failed = (reason: string): VerificationOutcome => ({ status: 'failed', filesVerified: 0, filesFailed: 0, reason })

/** @throws Error, in words for people, when there is nothing to restore or no room for it */
async function scopeOf({ settings, payload, folder, signal, onProgress }: TestRestoreRun): Promise<Scope> {
  onProgress({ phase: 'preparing', current: 0, total: 0 })
  const remembered = new Set(payload.checksums.map(({ path }) => path))
  const known: SnapshotNode[] = []
  const further = new RandomChoice(furtherFiles)
  let [totalFiles, totalBytes] = [0, 0]
  const end = await eachNode(settings, payload, signal, (node) => {
    if (node.type !== 'file') return
    totalFiles++
    totalBytes += node.size
    if (remembered.has(node.path)) known.push(node)
    else further.add(node)
  })
  signal.throwIfAborted()
  if (end.code !== 0) throw new Error(refusedBecause(end))
  const room = (await freeBytesAt(folder)) - gigabyte
  const fits = (bytes: number) => bytes * roomFactor <= room
  if (totalBytes <= payload.wholeUpToBytes && fits(totalBytes))
    return { files: 'all', bytes: totalBytes, totalFiles, totalBytes }
  const some = withinBytes(
    [...known, ...further.list],
    Math.min(payload.wholeUpToBytes, Math.max(0, room / roomFactor)),
  )
  if (some.length === 0) throw new Error('There is not enough free space on the device')
  const files = new Map(some.map((node) => [node.path, node]))
  return { files, bytes: some.reduce((sum, { size }) => sum + size, 0), totalFiles, totalBytes }
}

async function restoreAndCompare(run: TestRestoreRun, scope: Scope, own: string): Promise<VerificationOutcome> {
  const { payload, signal, onProgress } = run
  const { files, bytes } = scope
  onProgress({ phase: 'restoring', current: 0, total: bytes })
  const begun = performance.now()
  const { end, complaints } = await runRestore(run, scope, own)
  const restoreTimeSeconds = (performance.now() - begun) / 1000
  signal.throwIfAborted()
  const comparison = new Comparison({ folder: own, checksums: payload.checksums, complaints, signal })
  const compared = (node: SnapshotNode) => comparison.add(node)
  onProgress({ phase: 'comparing', current: bytes, total: bytes })
  if (files === 'all') {
    const listed = await eachNode(run.settings, payload, signal, compared)
    if (listed.code !== 0) throw new Error(refusedBecause(listed))
  } else for (const node of files.values()) await compared(node)
  signal.throwIfAborted()
  const verdict = comparison.verdict(end.code === 0 ? null : refusedBecause(end))
  return {
    ...verdict,
    restoreTimeSeconds: Math.round(restoreTimeSeconds * 1000) / 1000,
    totalBytes: scope.totalBytes,
    ...(files !== 'all' && { sampled: true, sampledBytes: bytes }),
  }
}

async function runRestore({ settings, payload, signal }: TestRestoreRun, { files }: Scope, own: string) {
  const complaints = new Map<string, string>()
  const listeners = restoreComplaints(own, (path, error) => {
    // What comes after the first is a consequence of it.
    if (!complaints.has(path)) complaints.set(path, error)
  })
  const includes = files === 'all' ? [[]] : batches([...files.keys()].map(literalPattern))
  let end: ResticEnd = { code: 0, signal: null, stderr: '' }
  for (const some of includes) {
    const included = some.flatMap((pattern) => ['--include', pattern])
    const args = ['restore', payload.snapshotId, '--target', own, '--verify', ...included]
    const one = await runRestic(settings, payload.engine, args, signal, listeners)
    if (one.code !== 0) end = one
    if (signal.aborted) break
  }
  return { end, complaints }
}

/** One after the other: restic waits meanwhile. */
async function eachNode(
  settings: ResticSettings,
  { engine, snapshotId }: TestRestorePayload,
  signal: AbortSignal,
  take: (node: SnapshotNode) => unknown,
): Promise<ResticEnd> {
  let taken: Promise<void> = Promise.resolve()
  const takeOutput = (output: Readable) => {
    taken = takeEach(output, take)
    // It is heard of when restic has ended.
    taken.catch(() => {})
  }
  const end = await runRestic(settings, engine, ['ls', snapshotId], signal, { takeOutput })
  await taken
  return end
}

async function takeEach(output: Readable, take: (node: SnapshotNode) => unknown): Promise<void> {
  try {
    for await (const line of createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY })) {
      const node = nodeIn(parseJson(line))
      if (node) await take(node)
    }
  } finally {
    // restic ends with a lock left behind when nobody reads on.
    output.resume()
  }
}
