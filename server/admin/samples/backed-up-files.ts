import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { day, iso } from '../../platform/clock.ts'

/** What is in the snapshots of sample devices: a person’s files, some of which change, come and go. */

interface SampleFile {
  /** Below the folder of the user. */
  path: string
  bytes: number
  /** When it was last changed; nights before today. */
  changedNightsAgo: number
}

const megabyte = 1_000_000
const pictures = 1200

/** The files of a device as they were so many nights ago. */
function filesAt(nightsAgo: number): SampleFile[] {
  const night = 6 - nightsAgo
  const always = (path: string, bytes: number): SampleFile => ({ path, bytes, changedNightsAgo: 40 })
  return [
    // It grows every second night.
    {
      path: 'Documents/Ledger.xlsx',
      bytes: 240_000 + Math.floor(night / 2) * 18_500,
      changedNightsAgo: nightsAgo + (night % 2),
    },
    ...(nightsAgo >= 2 ? [always('Documents/Offer Harbour Logistics.docx', 84_200)] : []),
    ...(nightsAgo === 0 ? [{ path: 'Documents/Minutes November.docx', bytes: 31_400, changedNightsAgo: 0 }] : []),
    always('Documents/Contracts/Lease Warehouse.pdf', 2.4 * megabyte),
    always('Documents/Contracts/Lease Headquarters.pdf', 3.1 * megabyte),
    always('Documents/Contracts/Insurance 2026.pdf', 1.2 * megabyte),
    always('Documents/Travel/Itinerary Lisbon.pdf', 412_000),
    always('Documents/Übersicht Größen.ods', 18_300),
    always('Desktop/Notes.txt', 2_310),
    always('Desktop/To do.txt', 480),
    always('Downloads/Printer driver.zip', 48.7 * megabyte),
    ...Array.from({ length: night + 1 }, (_, n) => ({
      path: `Pictures/Screenshots/Screenshot ${n + 1}.png`,
      bytes: 610_000 + n * 7_001,
      changedNightsAgo: 6 - n,
    })),
    ...Array.from({ length: pictures }, (_, n) =>
      always(`Pictures/Camera/IMG_${String(n + 1).padStart(5, '0')}.jpg`, 3.2 * megabyte + n * 997),
    ),
  ]
}

const homes: Record<string, string> = { windows: '/C/Users/grace', macos: '/Users/grace', linux: '/home/grace' }

/** A snapshot as `restic ls --json` prints it, packed: on Windows drives are folders. */
export function sampleListing(snapshotId: string, osType: string, nightsAgo: number): Readable {
  const home = homes[osType] ?? '/home/grace'
  const files = filesAt(nightsAgo).map(({ path, ...file }) => ({ ...file, path: `${home}/${path}` }))
  const today = Math.floor(Date.now() / day) * day
  const timeOf = (nights: number) => iso(today - nights * day - day / 3)
  const node = (path: string, changedNightsAgo: number, more: object) => ({
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    mtime: timeOf(changedNightsAgo),
    struct_type: 'node',
    ...more,
  })
  const folders = [...new Set(files.flatMap(({ path }) => foldersAbove(path)))]
  const root = osType === 'windows' ? 'C:\\Users' : home
  const lines = [
    { time: timeOf(nightsAgo), paths: [root], hostname: 'sample', id: snapshotId, struct_type: 'snapshot' },
    ...folders.map((path) => node(path, 40, { type: 'dir' })),
    ...files.map(({ path, bytes, changedNightsAgo }) => node(path, changedNightsAgo, { type: 'file', size: bytes })),
  ]
  return Readable.from([gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))])
}

/** `/a/b/c.txt` is in `/a` and `/a/b`. */
function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(1, -1)
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`)
}
