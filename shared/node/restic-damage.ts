import { ResticRefused, type RunThere } from './restic-maintenance.ts'
import { type Refusal, type ResticEnd, refusalOf } from './restic-refusals.ts'

export interface RepositoryDamage {
  kind: 'pack' | 'index' | 'snapshot' | 'tree' | 'key' | 'config' | 'other'
  /** As restic names it; null where it is not known. */
  id: string | null
}

/** What `restic check` found, by the names it gave; some of them are only their beginning. */
export class Damage {
  readonly packs = new Set<string>()
  readonly trees = new Set<string>()
  /** Of the packs, those that are as long as they should be, and in which it is not known what is damaged. */
  readonly changedPacks = new Set<string>()
  /** Of the packs, those whose damaged pieces are known. */
  readonly namedPacks = new Set<string>()
  /** Pieces of files that are damaged, or that no index knows. */
  readonly blobs = new Set<string>()
  readonly snapshots = new Set<string>()
  readonly indexes = new Set<string>()
  /** Nothing can be read without it. */
  isIndexDamaged = false
  isOther = false

  get isNone(): boolean {
    const named = [this.packs, this.trees, this.blobs, this.snapshots, this.indexes]
    return !this.isIndexDamaged && !this.isOther && named.every(({ size }) => size === 0)
  }

  get list(): RepositoryDamage[] {
    const all = (kind: RepositoryDamage['kind'], ids: ReadonlySet<string>): RepositoryDamage[] =>
      [...ids].map((id) => ({ kind, id }))
    const found = [
      ...all('pack', this.packs),
      ...all('index', this.indexes),
      ...all('snapshot', this.snapshots),
      ...all('tree', this.trees),
    ]
    if (this.isIndexDamaged && this.indexes.size === 0) found.push({ kind: 'index', id: null })
    const isOnlyMissing = found.every(({ kind }) => kind === 'snapshot')
    // A piece that no index knows: the index that knew it is gone.
    if (isOnlyMissing && this.blobs.size > 0) found.push({ kind: 'index', id: null })
    return found.length > 0 ? found : [{ kind: 'other', id: null }]
  }
}

/** By somebody, or by the system. */
export const wasEnded = ({ code }: ResticEnd): boolean => code === null || code === 130

/** It is not known then what is in the storage. */
const unasked: readonly Refusal[] = ['locked', 'not-admitted', 'unreachable']

const id = '([0-9a-f]{8,64})'
/** Said of what is there and not needed, or needed only once more. */
const harmless = /not referenced in any index|contained in several indexes|mix of tree and data/
const findings: readonly ['packs' | 'trees' | 'snapshots' | 'indexes', RegExp][] = [
  ['packs', new RegExp(`\\bpack ${id}\\b`, 'gi')],
  ['packs', new RegExp(`<data/${id}>`, 'g')],
  ['trees', new RegExp(`\\btree ${id}\\b`, 'gi')],
  ['snapshots', new RegExp(`\\bsnapshot ${id}\\b|<snapshot/${id}>`, 'g')],
  ['indexes', new RegExp(`\\bindex ${id}\\b|<index/${id}>`, 'g')],
]
const errorsInPack = new RegExp(`\\bpack ${id} contains \\d+ errors: (.*)`, 's')
const changedPack = new RegExp(`Pack ID does not match, want ${id}`)
const missingPiece = new RegExp(`\\bblob ${id} not found in index`)
const indexUnusable = /index is damaged|LoadIndex returned errors|unable to load index|load.*<index\//i

/**
 * @param subset how much of the data is read; null for all
 * @throws ResticRefused when the storage could not be asked
 */
export async function findDamage(run: RunThere, subset: string | null): Promise<Damage> {
  const damage = new Damage()
  const read = (text: string) => {
    for (const line of text.split('\n')) readLine(damage, line)
  }
  const how = subset === null ? '--read-data' : `--read-data-subset=${subset}`
  const end = await run(['check', '--no-lock', how], {
    onText: read,
    onComplaint: read,
    onJson: (value) => {
      const text = messageIn(value)
      if (text !== undefined) read(text)
    },
  })
  if (end.code === 0) return new Damage()
  if (damage.isNone && unasked.includes(refusalOf(end))) throw new ResticRefused(end)
  if (wasEnded(end)) throw new ResticRefused(end)
  if (damage.isNone) damage.isOther = true
  return damage
}

function readLine(damage: Damage, line: string): void {
  if (harmless.test(line)) return
  if (indexUnusable.test(line)) damage.isIndexDamaged = true
  // Such a folder is all right: it only says where the file is that needs the piece.
  if (missingPiece.test(line)) return void damage.blobs.add(missingPiece.exec(line)?.[1] ?? '')
  const [, pack, errors] = errorsInPack.exec(line) ?? []
  if (pack !== undefined && errors !== undefined) {
    readErrorsInPack(damage, pack, errors)
    return
  }
  const changed = changedPack.exec(line)?.[1]
  if (changed !== undefined) {
    damage.packs.add(changed)
    damage.changedPacks.add(changed)
    return
  }
  for (const [kind, pattern] of findings)
    for (const match of line.matchAll(pattern)) damage[kind].add(match.slice(1).find((one) => one !== undefined) ?? '')
}

/** Newer versions name the pieces, unless they could not read the pack to its end. */
function readErrorsInPack(damage: Damage, pack: string, errors: string): void {
  damage.packs.add(pack)
  const pieces = [...errors.matchAll(/\bblob ([0-9a-f]{64}):/g)].map(([, piece = '']) => piece)
  if (pieces.length === 0 || errors.includes('partial download')) return
  damage.namedPacks.add(pack)
  for (const piece of pieces) damage.blobs.add(piece)
}

/** Newer versions say it in JSON. */
function messageIn(value: unknown): string | undefined {
  const { message_type, message }: { message_type?: unknown; message?: unknown } = Object(value)
  return message_type === 'error' && typeof message === 'string' ? message : undefined
}
