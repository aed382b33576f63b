import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Change, SnapshotIndex } from '../../server/features/snapshot-index/index.ts'
import { nameKey, nameOrder } from '../../shared/names.ts'
import { dir, file, type ListedEntry, listed, listing, snapshotIndex } from '../helpers/listings.ts'

/** The index against a plain model of it, after generated snapshots that come and go in any order. */

const folders = ['/a', '/a/B', '/a/B/ä', '/a b', '/Z', '/Z/a']
const names = [
  'a',
  'B',
  'b',
  'ä',
  'Äpfel',
  'a b',
  'a  b',
  'new\nline',
  '\u{1f600}',
  '\ufb01',
  'README',
  'readme',
  '10',
  '9',
  '\ufffd',
]
const paths = ['', ...folders].flatMap((folder) => names.map((name) => `${folder}/${name}`))
const days = ['2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z']
const isFolder = ({ type }: ListedEntry) => type === 'dir'

const someFile = fc.record({
  path: fc.constantFrom(...paths),
  size: fc.nat(3),
  mtime: fc.constantFrom(...days),
})
const someFolder = fc.record({ path: fc.constantFrom(...folders), mtime: fc.constantFrom(...days) })
/** `order` is for entries that may come in any order, as long as a folder comes before what is in it. */
const someSnapshot = fc.record({
  files: fc.uniqueArray(someFile, { selector: ({ path }) => path, maxLength: 25 }),
  folders: fc.uniqueArray(someFolder, { selector: ({ path }) => path }),
  order: fc.option(fc.infiniteStream(fc.nat(1000)), { nil: null, freq: 3 }),
})
const ids = ['one', 'two', 'three', 'four', 'five'] as const
const someStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ store: fc.constantFrom(...ids), time: fc.nat(9), content: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.subarray([...ids], { minLength: 1 }) }) },
)

type Made<Some> = Some extends fc.Arbitrary<infer Value> ? Value : never
type SomeSnapshot = Made<typeof someSnapshot>
type SomeStep = Made<typeof someStep>

interface Model {
  id: string
  time: number
  entries: Map<string, ListedEntry>
}
type Models = Map<string, Model>

const keyOf = (entry: ListedEntry) => `${isFolder(entry) ? 0 : 1}${entry.path}`
const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const depthOf = (path: string) => path.split('/').length

/** Every folder that is needed, and each before what is in it. */
function entriesOf({ files, folders: own, order }: SomeSnapshot): ListedEntry[] {
  const all = new Map<string, ListedEntry>()
  for (const { path, mtime } of own) all.set(`0${path}`, dir(path, mtime))
  for (const { path, size, mtime } of files) all.set(`1${path}`, file(path, size, mtime))
  for (const { path } of [...all.values()])
    for (let up = parentOf(path); up !== ''; up = parentOf(up)) if (!all.has(`0${up}`)) all.set(`0${up}`, dir(up))
  const entries = [...all.values()]
  if (order === null) return depthFirst('', entries)
  const turns = new Map(entries.map((entry) => [entry, Number(order.next().value)]))
  return entries.sort(
    (one, other) => depthOf(one.path) - depthOf(other.path) || (turns.get(one) ?? 0) - (turns.get(other) ?? 0),
  )
}

const depthFirst = (folder: string, entries: readonly ListedEntry[]): ListedEntry[] =>
  entries
    .filter(({ path }) => parentOf(path) === folder)
    .flatMap((entry) => (isFolder(entry) ? [entry, ...depthFirst(entry.path, entries)] : [entry]))

const bytewise = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
/** As lists show them. */
const ownName = (path: string) => (nameOrder(nameOf(path)) === nameOf(path) ? '' : nameOf(path))
const inOrder = (one: ListedEntry, other: ListedEntry) =>
  Number(isFolder(other)) - Number(isFolder(one)) ||
  bytewise(nameOrder(nameOf(one.path)), nameOrder(nameOf(other.path))) ||
  bytewise(ownName(one.path), ownName(other.path))

const iso = (time: string | undefined) => (time ? new Date(time).toISOString() : null)
const shown = (entry: ListedEntry) => ({
  name: nameOf(entry.path),
  path: entry.path,
  type: isFolder(entry) ? 'folder' : 'file',
  size: isFolder(entry) ? null : entry.size,
  modifiedAt: iso(entry.mtime),
})
const stateOf = (entry: ListedEntry) => `${entry.type} ${entry.size} ${iso(entry.mtime)}`
const countsOf = (entries: readonly ListedEntry[]) => ({
  files: entries.filter((entry) => !isFolder(entry)).length,
  folders: entries.filter(isFolder).length,
  bytes: entries.reduce((sum, { size }) => sum + (size ?? 0), 0),
})

function childrenOf({ entries }: Model, folder: string): ListedEntry[] {
  return [...entries.values()].filter(({ path }) => parentOf(path) === folder).sort(inOrder)
}
const walked = (model: Model, folder: string): ListedEntry[] =>
  childrenOf(model, folder).flatMap((entry) => (isFolder(entry) ? [entry, ...walked(model, entry.path)] : [entry]))

async function allPages<Item>(ask: (after: string | null) => Promise<{ items: Item[]; next: string | null }>) {
  const items: Item[] = []
  let after: string | null = null
  do {
    const page = await ask(after)
    items.push(...page.items)
    after = page.next
  } while (after !== null)
  return items
}

interface Checked {
  index: SnapshotIndex
  repository: string
  models: Models
  /** Entries of a page. */
  limit: number
}

async function checkSnapshot({ index, repository, limit }: Checked, model: Model): Promise<void> {
  const snapshotId = model.id
  const here = ['', ...[...model.entries.values()].filter(isFolder).map(({ path }) => path)]
  for (const folder of here) {
    const children = childrenOf(model, folder)
    const ask = (after: string | null) => index.folder(repository, { snapshotId, path: folder || '/', limit, after })
    expect(await allPages(ask)).toEqual(children.map(shown))
    expect((await ask(null)).counts).toEqual(countsOf(children))
    const below = walked(model, folder)
    const asFile = model.entries.get(`1${folder}`)
    const all = await listed(index.filesBelow(repository, snapshotId, folder || '/', limit))
    expect(all).toEqual([...(asFile ? [asFile] : []), ...below].map(shown))
  }
  const { json, isTruncated } = await index.tree(repository, snapshotId)
  expect(isTruncated).toBe(false)
  expect(pathsIn(JSON.parse(Buffer.from(json).toString()))).toEqual(walked(model, '').map(({ path }) => path))
}

interface TreeNode {
  path: string
  children?: TreeNode[]
}
const pathsIn = (nodes: readonly TreeNode[]): string[] =>
  nodes.flatMap(({ path, children }) => [path, ...pathsIn(children ?? [])])

/** A selection of files and folders, some of which are not there. */
async function checkExpansion({ index, repository }: Checked, model: Model): Promise<void> {
  const selected = [...paths.slice(0, 7), '/a/B', '/Z/a', '/a/B/ä/B', '/none']
  const isThere = (path: string) => model.entries.has(`0${path}`) || model.entries.has(`1${path}`)
  const isBelow = (path: string) =>
    selected.some((top) => path === top || (model.entries.has(`0${top}`) && path.startsWith(`${top}/`)))
  expect(await index.expand(repository, { snapshotId: model.id, paths: selected })).toEqual({
    ...countsOf([...model.entries.values()].filter(({ path }) => isBelow(path))),
    missing: selected.filter((path) => !isThere(path)),
  })
}

async function checkComparison({ index, repository, limit }: Checked, older: Model, newer: Model): Promise<void> {
  const expected = new Map<string, Change>()
  for (const key of new Set([...older.entries.keys(), ...newer.entries.keys()])) {
    const [before, after] = [older.entries.get(key), newer.entries.get(key)]
    if (!before || !after) expected.set(key, before ? 'removed' : 'added')
    else if (!isFolder(before) && stateOf(before) !== stateOf(after)) expected.set(key, 'changed')
  }
  const ask = (after: string | null) => index.compare(repository, { older: older.id, newer: newer.id, limit, after })
  const items = await allPages(ask)
  const found = items.map(({ path, type, change }) => [`${type === 'folder' ? 0 : 1}${path}`, change] as const)
  expect(found.length).toBe(expected.size)
  expect(new Map(found)).toEqual(expected)
  const { counts } = await ask(null)
  for (const change of ['added', 'changed', 'removed'] as const)
    expect(counts?.[change]).toEqual(
      countsOf(
        [...expected]
          .filter(([, one]) => one === change)
          .flatMap(([key]) => newer.entries.get(key) ?? older.entries.get(key) ?? []),
      ),
    )
}

/** Newest first, as the index tells them: by time, and of equal times the one that was stored last. */
const byTime = (models: Models): Model[] =>
  [...models.values()]
    .map((model, at) => ({ model, at }))
    .sort((one, other) => other.model.time - one.model.time || other.at - one.at)
    .map(({ model }) => model)

async function checkPaths({ index, repository, models, limit }: Checked): Promise<void> {
  const versions = new Map<string, { states: string[]; newest: string }>()
  for (const { id, entries } of byTime(models))
    for (const entry of entries.values()) {
      const known = versions.get(entry.path) ?? { states: [], newest: id }
      if (!known.states.includes(stateOf(entry))) known.states.push(stateOf(entry))
      versions.set(entry.path, known)
    }
  for (const path of paths) {
    const known = versions.get(path)
    const asked = index.versions(repository, path)
    if (!known) {
      await expect(asked).rejects.toMatchObject({ code: 'not_found' })
      continue
    }
    const told = await asked
    expect(told.versions).toHaveLength(known.states.length)
    expect(told.versions[0]?.newestSnapshot.id).toBe(known.newest)
  }
  for (const text of ['a', 'B', 'ä', 'new line', 'readme', '\u{1f600}']) {
    const found = await allPages((after) => index.search(repository, { text, limit, after }))
    const kinds = new Set([...models.values()].flatMap(({ entries }) => [...entries.keys()]))
    const expected = [...kinds]
      .filter((key) => nameOrder(nameOf(key)).includes(nameKey(text)))
      .map((key) => key.slice(1))
    expect(found.map(({ path }) => path).toSorted()).toEqual(expected.toSorted())
  }
}

test('the index answers as a plain model of it, whatever comes and goes', { timeout: 900_000 }, async () => {
  const run = async (contents: SomeSnapshot[], steps: SomeStep[], limit: number) => {
    const { index, repository } = snapshotIndex()
    const models: Models = new Map()
    const listings = contents.map(entriesOf)
    for (const step of steps)
      if ('remove' in step) {
        await index.remove(repository, step.remove)
        for (const id of step.remove) models.delete(id)
      } else {
        const entries = listings[step.content % listings.length] ?? []
        const snapshot = { id: step.store, time: step.time }
        const told = await index.store(repository, snapshot, listing(step.store, entries))
        if (!models.has(step.store))
          models.set(step.store, { ...snapshot, entries: new Map(entries.map((entry) => [keyOf(entry), entry])) })
        expect(told).toEqual({ ...countsOf([...(models.get(step.store)?.entries.values() ?? [])]), alike: 0 })
      }
    const checked = { index, repository, models, limit }
    expect((await index.indexed(repository)).map(({ id }) => id)).toEqual(byTime(models).map(({ id }) => id))
    for (const model of models.values()) {
      await checkSnapshot(checked, model)
      await checkExpansion(checked, model)
      for (const other of models.values()) await checkComparison(checked, model, other)
    }
    await checkPaths(checked)
    await index.stop()
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(someSnapshot, { minLength: 1, maxLength: 3 }),
      fc.array(someStep, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      run,
    ),
    { numRuns: 400 },
  )
})
