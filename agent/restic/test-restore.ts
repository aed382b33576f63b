import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { insufficientSpace } from '../../shared/api/backup-verification.ts'
import type { TestRestorePayload, VerificationOutcome } from '../../shared/device/backup-verification.ts'
import { type ResticEnd, refusedBecause } from '../../shared/node/restic-refusals.ts'
import { reasonOf } from '../failure.ts'
import { parseJson } from '../server-client.ts'
import { Comparison } from './comparison.ts'
import { literalPattern } from './patterns.ts'
import { type ResticSettings, runRestic, unlockAfterStop } from './restic-run.ts'
import { restoreComplaints } from './restore-complaints.ts'
import { batches } from './restore-plan.ts'
import { nodeIn, type SnapshotNode } from './snapshot-nodes.ts'
import { freeBytesAt } from './staging.ts'
import {
  makeTestFolder,
  removeLeftTestFolders,
  removeTestFolder,
  removeTestFolderLater,
} from './test-restore-folder.ts'
import { type Scope, ScopeChoice } from './test-restore-scope.ts'

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

/** What restic says of a disk that has filled up meanwhile. */
const noSpace = /no space left on device|not enough space on the disk|disk quota exceeded/i

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
  if (own !== undefined && !cleanedUp) void removeTestFolderLater(folder, own)
  if (signal.aborted) {
    await unlockAfterStop(settings, payload.engine).catch(() => {})
    outcome = { ...failed('The test restore was stopped'), status: 'stopped' }
  }
  const durationMs = Math.round(performance.now() - begun)
  return { ...outcome, durationMs, cleanedUp, ...(own !== undefined && { restorePath: own }) }
}

const failed = (reason: string): VerificationOutcome => ({ status: 'failed', filesVerified: 0, filesFailed: 0, reason })

/** @throws Error why there is nothing to restore, or no room for it */
async function scopeOf(run: TestRestoreRun): Promise<Scope> {
  const { payload, folder, signal, onProgress } = run
  onProgress({ phase: 'preparing', current: 0, total: 0 })
  const choice = new ScopeChoice({
    remembered: new Set(payload.checksums.map(({ path }) => path)),
    again: new Set(payload.again),
  })
  const end = await eachNode(run, (node) => choice.add(node))
  signal.throwIfAborted()
  if (end.code !== 0) throw new Error(refusedBecause(end))
  const scope = choice.within({ wholeUpToBytes: payload.wholeUpToBytes, freeBytes: await freeBytesAt(folder) })
  if (scope === null) throw new Error(insufficientSpace)
  return scope
}

async function restoreAndCompare(run: TestRestoreRun, scope: Scope, own: string): Promise<VerificationOutcome> {
  const { payload, signal, onProgress } = run
  const { nodes, bytes, isAgain } = scope
  onProgress({ phase: 'restoring', current: 0, total: bytes })
  const begun = performance.now()
  const { end, complaints } = await runRestore(run, scope, own)
  const restoreTimeSeconds = (performance.now() - begun) / 1000
  signal.throwIfAborted()
  if ([...complaints.values()].some((said) => noSpace.test(said))) throw new Error(insufficientSpace)
  const comparison = new Comparison({ folder: own, checksums: payload.checksums, complaints, signal })
  const compared = (node: SnapshotNode) => comparison.add(node)
  onProgress({ phase: 'comparing', current: bytes, total: bytes })
  if (nodes === 'all') {
    const listed = await eachNode(run, compared)
    if (listed.code !== 0) throw new Error(refusedBecause(listed))
  } else for (const node of nodes) await compared(node)
  if (comparison.hasLinks) await eachLinkLine(run, (line) => comparison.addLinkLine(line))
  signal.throwIfAborted()
  const verdict = comparison.verdict(end.code === 0 ? null : refusedBecause(end))
  return {
    ...verdict,
    restoreTimeSeconds: Math.round(restoreTimeSeconds * 1000) / 1000,
    totalBytes: scope.totalBytes,
    ...(nodes !== 'all' && { sampled: true, sampledBytes: bytes, restoredAgain: isAgain }),
  }
}

async function runRestore({ settings, payload, signal }: TestRestoreRun, { nodes }: Scope, own: string) {
  const complaints = new Map<string, string>()
  const listeners = restoreComplaints(own, (path, error) => {
    // What comes after the first is a consequence of it.
    if (!complaints.has(path)) complaints.set(path, error)
  })
  const includes = nodes === 'all' ? [[]] : batches(nodes.map(({ path }) => literalPattern(path)))
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

const eachNode = (run: TestRestoreRun, take: (node: SnapshotNode) => unknown): Promise<ResticEnd> =>
  eachLine(run, ['ls', run.payload.snapshotId], (line) => {
    const node = nodeIn(parseJson(line))
    return node && take(node)
  })

/** restic says only in words where links lead to. What it does not say then was not compared. */
const eachLinkLine = (run: TestRestoreRun, take: (line: string) => void): Promise<ResticEnd> =>
  eachLine(run, ['ls', '--long', '--json=false', run.payload.snapshotId], take)

/** One after the other: restic waits meanwhile. */
async function eachLine(
  { settings, payload, signal }: TestRestoreRun,
  args: readonly string[],
  take: (line: string) => unknown,
): Promise<ResticEnd> {
  let taken: Promise<void> = Promise.resolve()
  const takeOutput = (output: Readable) => {
    taken = takeLines(output, take)
    // It is heard of when restic has ended.
    taken.catch(() => {})
  }
  const end = await runRestic(settings, payload.engine, args, signal, { takeOutput })
  await taken
  return end
}

async function takeLines(output: Readable, take: (line: string) => unknown): Promise<void> {
  try {
    for await (const line of createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY })) await take(line)
  } finally {
    // restic ends with a lock left behind when nobody reads on.
    output.resume()
  }
}
