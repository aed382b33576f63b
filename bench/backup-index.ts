import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { SnapshotIndex } from '../server/features/snapshot-index/index.ts'
import { percentiles } from './load.ts'
import { pinSelf, unpinSelf } from './processes.ts'

/** The index of the files in snapshots: a million files, 200,000 of them in one folder. */
export interface BackupIndexReport {
  stored: { name: string; seconds: number; listingMb: number; addedMb: number }[]
  questions: { name: string; first: number; p50: number; hasAim: boolean }[]
  /** First pages of another device while the snapshots above are stored. */
  others: ReturnType<typeof percentiles>
  /** Entries of the whole snapshot, as a zip download asks for them. */
  walked: { entries: number; seconds: number }
  removal: number
  eventLoopMax: number
  idleMax: number
  memoryMb: number
}

const files = 1_000_000
const inOneFolder = 200_000
const inEachFolder = 20
const depth = 60
const asked = 20
const deepFolder = `/home/ada/deep${'/further'.repeat(depth)}`
const words = [
  'report',
  'Invoice',
  'IMG',
  'photo',
  'index',
  'main',
  'Test',
  'util',
  'Button',
  'README',
  'package',
  'cache',
]
const endings = ['.txt', '.js', '.ts', '.jpg', '.pdf', '.docx', '.json', '.png']

type Snapshot = 'first' | 'unchanged' | 'changed'

export async function measureBackupIndex(folder: string): Promise<BackupIndexReport> {
  // As the appliance, which has threads for this.
  unpinSelf()
  const index = new SnapshotIndex(join(folder, 'index'))
  try {
    const [device, other] = [randomUUID(), randomUUID()]
    await index.store(other, { id: 'first', time: 1 }, packed(smallListing()))
    const loop = monitorEventLoopDelay({ resolution: 1 })
    const idleMax = await delayOf(loop, () => new Promise((resolve) => setTimeout(resolve, 5000)))
    const pages: number[] = []
    const stored = []
    let eventLoopMax = 0
    for (const [name, snapshot] of snapshots) {
      const listing = join(folder, `${snapshot}.gz`)
      await pipeline(packed(largeListing(snapshot)), createWriteStream(listing))
      const store = () => storeOne(index, device, snapshot, listing)
      const before = sizeOf(folder, device)
      const began = performance.now()
      const delay = await delayOf(loop, () => meanwhile(store, () => pageOf(index, other), pages))
      eventLoopMax = Math.max(eventLoopMax, delay)
      const seconds = (performance.now() - began) / 1000
      const addedMb = sizeOf(folder, device) - before
      stored.push({ name, seconds, listingMb: statSync(listing).size / 2 ** 20, addedMb })
    }
    const questions: BackupIndexReport['questions'] = []
    eventLoopMax = Math.max(
      eventLoopMax,
      await delayOf(loop, async () => {
        for (const question of questionsTo(index, device)) questions.push(await ask(question))
      }),
    )
    const walked = await walk(index, device)
    const memoryMb = process.memoryUsage.rss() / 2 ** 20
    const began = performance.now()
    await index.remove(device, ['first'])
    const removal = (performance.now() - began) / 1000
    return { stored, questions, others: percentiles(pages), walked, removal, eventLoopMax, idleMax, memoryMb }
  } finally {
    await index.stop()
    pinSelf()
  }
}

const snapshots: [name: string, snapshot: Snapshot][] = [
  ['The first snapshot', 'first'],
  ['One without changes', 'unchanged'],
  ['One with 1 % changed, added and removed', 'changed'],
]

const storeOne = (index: SnapshotIndex, device: string, id: string, listing: string) =>
  index.store(device, { id, time: Date.now() }, createReadStream(listing))

const sizeOf = (folder: string, device: string): number =>
  (statSync(join(folder, 'index', `${device}.db`), { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20

type EventLoop = ReturnType<typeof monitorEventLoopDelay>

/** The longest delay of the event loop on the way, milliseconds. */
async function delayOf(loop: EventLoop, work: () => Promise<unknown>): Promise<number> {
  loop.reset()
  loop.enable()
  await work()
  loop.disable()
  return loop.max / 1e6
}

/** How long others take while `work` goes on. */
async function meanwhile(work: () => Promise<unknown>, other: () => Promise<unknown>, times: number[]): Promise<void> {
  let isOver = false
  const others = (async () => {
    while (!isOver) {
      const began = performance.now()
      await other()
      times.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  await work()
  isOver = true
  await others
}

const pageOf = (index: SnapshotIndex, device: string) =>
  index.folder(device, { snapshotId: 'first', path: '/docs', limit: 200 })

interface Question {
  name: string
  ask: () => Promise<unknown>
  hasAim?: boolean
}

function questionsTo(index: SnapshotIndex, device: string): Question[] {
  const page = (path: string) => () => index.folder(device, { snapshotId: 'changed', path, limit: 200 })
  const compare = (older: Snapshot, newer: Snapshot) => () => index.compare(device, { older, newer, limit: 200 })
  return [
    { name: 'First page of a folder of 200,000 files', ask: page('/home/ada/Pictures'), hasAim: true },
    { name: `First page of a folder ${depth} levels down`, ask: page(deepFolder), hasAim: true },
    { name: 'First page of a folder of 400 folders', ask: page('/home/ada'), hasAim: true },
    { name: 'Versions of a path', ask: () => index.versions(device, `/home/ada/Pictures/${picture(7)}`), hasAim: true },
    { name: 'Search that finds nothing', ask: () => index.search(device, { text: 'nowhere', limit: 50 }) },
    { name: 'Search that finds much', ask: () => index.search(device, { text: 'readme', limit: 50 }) },
    { name: 'Comparison of equal snapshots', ask: compare('first', 'unchanged') },
    { name: 'Comparison with 1 % changes', ask: compare('first', 'changed') },
    {
      name: 'What a restore of everything is',
      ask: () => index.expand(device, { snapshotId: 'changed', paths: ['/'] }),
    },
    { name: 'The tree, 50,000 entries', ask: () => index.tree(device, 'changed') },
  ]
}

async function ask({ name, ask, hasAim = false }: Question) {
  const times = []
  for (let n = 0; n <= asked; n++) {
    const began = performance.now()
    await ask()
    times.push(performance.now() - began)
  }
  const [first = 0, ...others] = times
  return { name, first, p50: percentiles(others).p50, hasAim }
}

async function walk(index: SnapshotIndex, device: string) {
  const began = performance.now()
  let entries = 0
  for await (const _ of index.filesBelow(device, 'changed', '/')) entries++
  return { entries, seconds: (performance.now() - began) / 1000 }
}

const packed = (lines: Iterable<string>): Readable => Readable.from(inPieces(lines)).pipe(createGzip({ level: 1 }))

function* inPieces(lines: Iterable<string>): Generator<Buffer> {
  let piece = ''
  for (const line of lines) {
    piece += line
    if (piece.length < 2 ** 18) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(piece)
}

const picture = (n: number) => `IMG_${String(n).padStart(7, '0')}.jpg`

/** As restic 0.14 prints them. */
function line(path: string, type: 'dir' | 'file', size: number, version: number): string {
  const name = JSON.stringify(path.slice(path.lastIndexOf('/') + 1))
  const times = `"mtime":"2026-11-24T04:22:0${version}.747498076+01:00","atime":"2026-11-24T04:22:02.747817034+01:00","ctime":"2026-11-24T04:22:02.747817034+01:00"`
  return `{"name":${name},"type":"${type}","path":${JSON.stringify(path)},"uid":1000,"gid":1000,${type === 'file' ? `"size":${size},` : ''}"mode":420,"permissions":"-rw-r--r--",${times},"struct_type":"node"}\n`
}

const header = (id: string) => `${JSON.stringify({ struct_type: 'snapshot', id, paths: ['/home'] })}\n`

function* smallListing(): Generator<string> {
  yield header('first')
  yield line('/docs', 'dir', 0, 1)
  for (let n = 0; n < 1000; n++) yield line(`/docs/${picture(n)}`, 'file', n, 1)
}

/** Spread evenly over all folders, which costs most: of 300 files one is changed, one left out and one is new. */
function* fileIn(folder: string, name: string, n: number, snapshot: Snapshot): Generator<string> {
  const turn = snapshot === 'changed' ? n % 300 : -1
  if (turn !== 100) yield line(`${folder}/${name}`, 'file', n * 997, turn === 0 ? 2 : 1)
  if (turn === 200) yield line(`${folder}/${name}.new`, 'file', n, 2)
}

function* largeListing(snapshot: Snapshot): Generator<string> {
  yield header(snapshot)
  for (const path of ['/home', '/home/ada', '/home/ada/Pictures']) yield line(path, 'dir', 0, 1)
  let n = 0
  for (; n < inOneFolder; n++) yield* fileIn('/home/ada/Pictures', picture(n), n, snapshot)
  yield line('/home/ada/deep', 'dir', 0, 1)
  for (let down = 1; down <= depth; down++) yield line(`/home/ada/deep${'/further'.repeat(down)}`, 'dir', 0, 1)
  yield line(`${deepFolder}/at the end`, 'file', 1, 1)
  for (let folder = 0; n < files; folder++) {
    if (folder % 100 === 0) yield line(`/home/ada/p${folder / 100}`, 'dir', 0, 1)
    const path = `/home/ada/p${Math.floor(folder / 100)}/s${folder}`
    yield line(path, 'dir', 0, 1)
    for (const end = n + inEachFolder; n < end; n++) yield* fileIn(path, nameOf(n), n, snapshot)
  }
}

const nameOf = (n: number) =>
  `${words[(n * 7) % words.length]}-${words[(n * 5 + 3) % words.length]}_${n % 10_007}${endings[n % endings.length]}`
