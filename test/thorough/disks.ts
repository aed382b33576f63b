/** Disks of people with a few thousand files, and what becomes of them; the same for the same seed. */

type Content = 'packed' | 'text' | 'program' | 'noise'

export interface DiskFile {
  size: number
  /** Hours. */
  changedAt: number
  content: Content
  /** Counts what was written. */
  version: number
  /** The kind by which `packed` begins. */
  head: string
}

export interface Disk {
  files: Map<string, DiskFile>
  random: () => number
  hour: number
  headOf: (disk: Disk, path: string) => Buffer | null
}

export interface Scenario {
  name: string
  runs: number
  change: (disk: Disk, run: number) => void
  /** Names, sizes and times are like those of an attack: only content tells. */
  looksLikeAnAttack?: true
  /** Or the other way round. */
  looksNormal?: true
}

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** What a file of this ending is. */
const kinds: Record<string, readonly [Content, string]> = {
  '.docx': ['packed', '504b0304'],
  '.xlsx': ['packed', '504b0304'],
  '.pdf': ['packed', '25504446'],
  '.jpg': ['packed', 'ffd8ffe0'],
  '.png': ['packed', '89504e470d0a1a0a0000000d4948445200000100000001000802000000d3103f310000200049444154'],
  '.mp3': ['packed', '49443304'],
  '.mp4': ['packed', '00000018667479706d703432'],
  '.webp': ['packed', '524946460000000057454250'],
  '.gz': ['packed', '1f8b0800000000000003'],
  '.zip': ['packed', '504b0304'],
  '.txt': ['text', ''],
  '.csv': ['text', ''],
  '.log': ['text', ''],
  '.js': ['text', ''],
  '.json': ['text', ''],
  '.o': ['program', '7f454c46'],
  '.dll': ['program', '4d5a'],
  '.exe': ['program', '4d5a'],
  '.kdbx': ['noise', ''],
  '.gpg': ['noise', ''],
  '.cache': ['noise', ''],
}

const endingOf = (path: string) => path.slice(path.lastIndexOf('.'))

function put(disk: Disk, path: string, size = 600 + Math.floor(disk.random() * 200_000)): void {
  const [content, head] = kinds[endingOf(path)] ?? ['noise', '']
  const version = (disk.files.get(path)?.version ?? 0) + 1
  disk.files.set(path, { size, changedAt: disk.hour, content, version, head })
}

export function diskOf(seed: number): Disk {
  const disk: Disk = { files: new Map(), random: randomOf(seed), hour: 0, headOf }
  const people = 1 + (seed % 3)
  for (let person = 0; person < people; person++) {
    const home = `/home/p${person}`
    for (const [ending, count] of [
      ['.docx', 120],
      ['.xlsx', 80],
      ['.pdf', 150],
      ['.csv', 40],
      ['.txt', 40],
      ['.png', 30],
    ] as const)
      for (let n = 0; n < count * (0.5 + disk.random()); n++) put(disk, `${home}/Documents/${n % 12}/d${n}${ending}`)
    for (let n = 0; n < 300 * disk.random() + 50; n++) put(disk, `${home}/Pictures/${n % 9}/IMG_${n}.jpg`)
    for (let n = 0; n < 100; n++) put(disk, `${home}/Music/${n % 5}/${n}.mp3`)
    for (let n = 0; n < 15; n++) put(disk, `${home}/Videos/${n}.mp4`)
    for (let n = 0; n < 200; n++) put(disk, `${home}/src/build/${n % 10}/m${n}${['.js', '.o', '.json', '.png'][n % 4]}`)
    for (let n = 0; n < 60; n++) put(disk, `${home}/.cache/app/${n}.cache`)
    put(disk, `${home}/keys.kdbx`)
  }
  for (let n = 0; n < 1500; n++) put(disk, `/system/${n % 40}/s${n}${['.dll', '.exe', '.txt', '.png'][n % 4]}`)
  for (let n = 0; n < 40; n++) put(disk, `/var/log/app${n}.log`)
  return disk
}

/** The first 4 KB, of this file and this version of it. */
function headOf({ files }: Disk, path: string): Buffer | null {
  const file = files.get(path)
  if (!file) return null
  let seed = file.version * 7919
  for (const letter of file.head + file.size) seed = (seed * 31 + letter.charCodeAt(0)) | 0
  const random = randomOf(seed)
  const bytes = Buffer.alloc(Math.min(4096, file.size))
  const letters = 'etaoin shrdlu cmfwyp,;0123456789\n'
  for (let n = 0; n < bytes.length; n++)
    bytes[n] =
      file.content === 'text'
        ? letters.charCodeAt(Math.floor(random() * letters.length))
        : file.content === 'program'
          ? Math.floor(random() ** 3 * 256)
          : Math.floor(random() * 256)
  Buffer.from(file.head, 'hex').copy(bytes)
  return bytes
}

const below = (disk: Disk, folder: string) => [...disk.files.keys()].filter((path) => path.includes(folder))
const isDocument = (path: string) => /\.(docx|xlsx|pdf|csv|txt|jpg|png|mp3|mp4)$/.test(path)
const personal = (disk: Disk) => below(disk, '/home/').filter(isDocument)

function write(disk: Disk, path: string): void {
  const size = disk.files.get(path)?.size ?? 1000
  put(disk, path, Math.max(600, Math.floor(size * (0.9 + disk.random() * 0.2))))
}

/** A new name for the same file. */
function rename(disk: Disk, from: string, to: string): void {
  const file = disk.files.get(from)
  if (!file) return
  disk.files.delete(from)
  disk.files.set(to, file)
}

function encrypt(disk: Disk, path: string): void {
  const file = disk.files.get(path)
  if (file)
    Object.assign(file, { content: 'noise', head: '', size: file.size + 272, changedAt: disk.hour, version: 99 })
}

function everyday(disk: Disk): void {
  disk.hour += 24
  for (const path of personal(disk)) if (disk.random() < 0.015) write(disk, path)
  for (const path of below(disk, '/.cache/')) {
    if (disk.random() > 0.4) continue
    disk.files.delete(path)
    put(disk, `${path.slice(0, path.lastIndexOf('/'))}/${Math.floor(disk.random() * 1e9)}.cache`)
  }
  for (const path of below(disk, '/var/log/')) write(disk, path)
}

const onOneDay =
  (change: (disk: Disk) => void): Scenario['change'] =>
  (disk) => {
    everyday(disk)
    change(disk)
  }

export const normal: readonly Scenario[] = [
  { name: 'three weeks of work', runs: 21, change: everyday },
  {
    name: 'an update of the operating system',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of below(disk, '/system/')) if (disk.random() < 0.8) write(disk, path)
    }),
  },
  {
    name: 'a moved folder',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of below(disk, '/Documents/')) rename(disk, path, path.replace('/Documents/', '/Archive/2026/'))
    }),
  },
  {
    name: 'files sorted into folders by another order',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of below(disk, '/Documents/'))
        rename(disk, path, path.replace(/\/\d+\//, `/${Math.floor(disk.random() * 12)}/moved `))
    }),
    looksLikeAnAttack: true,
  },
  {
    name: 'an import of photos',
    runs: 1,
    change: onOneDay((disk) => {
      for (let n = 0; n < 800; n++) put(disk, `/home/p0/Pictures/Trip/DSC_${n}.jpg`)
    }),
  },
  {
    name: 'a build of software',
    runs: 5,
    change: onOneDay((disk) => {
      for (const path of below(disk, '/build/')) write(disk, path)
    }),
  },
  {
    name: 'photos converted to another format',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of below(disk, '/Pictures/')) {
        disk.files.delete(path)
        put(disk, path.replace('.jpg', '.webp'))
      }
    }),
  },
  {
    name: 'music and films encoded again',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of [...below(disk, '/Music/'), ...below(disk, '/Videos/')]) write(disk, path)
    }),
  },
  {
    name: 'a disk copied without the times of its files',
    runs: 1,
    change: onOneDay((disk) => {
      for (const file of disk.files.values()) file.changedAt = disk.hour
    }),
    looksLikeAnAttack: true,
  },
  {
    name: 'logs packed each week',
    runs: 3,
    change: onOneDay((disk) => {
      for (const path of below(disk, '/var/log/')) {
        disk.files.delete(path)
        put(disk, `${path}.gz`)
      }
    }),
  },
  {
    name: 'eight files that their owner encrypts at once',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of personal(disk).slice(0, 8)) encrypt(disk, path)
    }),
  },
  {
    name: 'three files that their owner encrypts',
    runs: 2,
    change: onOneDay((disk) => {
      for (const path of personal(disk).slice(0, 3)) {
        disk.files.delete(path)
        put(disk, `${path}.gpg`)
      }
    }),
  },
]

const slow = (share: number): Scenario['change'] =>
  onOneDay((disk) => {
    for (const path of personal(disk)) if (disk.random() < share) encrypt(disk, path)
  })

export const attacks: readonly Scenario[] = [
  {
    name: 'encrypted in place',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of personal(disk)) encrypt(disk, path)
    }),
  },
  {
    name: 'encrypted and renamed',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of personal(disk)) {
        encrypt(disk, path)
        rename(disk, path, `${path}.locked`)
      }
    }),
  },
  {
    name: 'encrypted, with names of chance',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of personal(disk)) {
        encrypt(disk, path)
        rename(disk, path, `${path.slice(0, path.lastIndexOf('/'))}/${Math.floor(disk.random() * 1e12)}.x7q`)
      }
    }),
  },
  {
    name: 'encrypted during an update of the operating system',
    runs: 1,
    change: onOneDay((disk) => {
      for (const path of below(disk, '/system/')) write(disk, path)
      for (const path of personal(disk)) encrypt(disk, path)
    }),
  },
  { name: 'a tenth in each of ten backups', runs: 10, change: slow(0.1), looksNormal: true },
  { name: 'three in a hundred in each of ten backups', runs: 10, change: slow(0.03), looksNormal: true },
]
