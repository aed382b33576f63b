import { expect, test } from 'vitest'
import type { SnapshotIndex } from '../../server/features/snapshot-index/index.ts'
import { lookInto } from '../../server/features/unusual-changes/heads.ts'
import {
  enoughDocuments,
  isWorthALook,
  pairsLookedInto,
  verdictOf,
} from '../../server/features/unusual-changes/verdict.ts'
import { type ListedEntry, listing, snapshotIndex } from '../helpers/listings.ts'
import { attacks, type Disk, diskOf, normal, type Scenario } from './disks.ts'

/** How often normal change is taken for an attack, and how often an attack is found, on generated disks. */

const disks = 30
const firstSeed = 101

interface Found {
  withContent: boolean
  withoutContent: boolean
}

async function play(scenario: Scenario, seed: number): Promise<Found> {
  const { index, repository } = snapshotIndex()
  const disk = diskOf(seed)
  const taken: Disk[] = []
  const found = { withContent: false, withoutContent: false }
  const take = async () => {
    const id = `s${taken.length}`
    const { files } = disk
    taken.push({ ...disk, files: new Map([...files].map(([path, file]) => [path, { ...file }])) })
    await index.store(repository, { id, time: taken.length }, listing(id, entriesOf(disk)))
  }
  await take()
  for (let run = 0; run < scenario.runs; run++) {
    scenario.change(disk, run)
    await take()
    const newest = taken.length - 1
    // As the appliance does: with the one before, and with the tenth before.
    for (const older of new Set([newest - 1, Math.max(0, newest - 10)])) {
      const one = await judged(index, repository, taken, older, newest)
      found.withContent ||= one.withContent
      found.withoutContent ||= one.withoutContent
    }
  }
  return found
}

async function judged(
  index: SnapshotIndex,
  repository: string,
  taken: readonly Disk[],
  older: number,
  newer: number,
): Promise<Found> {
  const asked = { older: `s${older}`, newer: `s${newer}`, pairs: pairsLookedInto, enoughDocuments, alike: false }
  const measure = await index.measure(repository, asked)
  if (!isWorthALook(measure)) return { withContent: false, withoutContent: false }
  const disks = { older: taken[older], newer: taken[newer] }
  const looked = await lookInto(measure.pairs, async (of, path) => disks[of]?.headOf(disks[of], path) ?? null)
  return { withContent: verdictOf(measure, looked) !== null, withoutContent: verdictOf(measure, null) !== null }
}

/** Each folder before what is in it. */
function entriesOf({ files }: Disk): ListedEntry[] {
  const all = new Map<string, ListedEntry>()
  for (const [path, { size, changedAt }] of files) {
    const parts = path.split('/')
    for (let depth = 2; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/')
      all.set(folder, { path: folder, type: 'dir' })
    }
    all.set(path, { path, size, mtime: new Date(Date.UTC(2026, 0, 1) + changedAt * 3_600_000).toISOString() })
  }
  const key = (path: string) => path.replaceAll('/', '\0')
  return [...all.values()].sort((one, other) => (key(one.path) < key(other.path) ? -1 : 1))
}

async function rates(scenario: Scenario) {
  const found: Found[] = []
  for (let seed = firstSeed; seed < firstSeed + disks; seed++) found.push(await play(scenario, seed))
  const share = (key: keyof Found) => found.filter((one) => one[key]).length / disks
  const rate = { withContent: share('withContent'), withoutContent: share('withoutContent') }
  const percent = (part: number) => `${Math.round(part * 1000) / 10} %`
  process.stdout.write(
    `${scenario.name}: ${percent(rate.withContent)} with content, ${percent(rate.withoutContent)} without\n`,
  )
  return rate
}

test.each(normal)('normal change is no attack: $name', async (scenario) => {
  const { withContent, withoutContent } = await rates(scenario)
  expect(withContent).toBe(0)
  if (!scenario.looksLikeAnAttack) expect(withoutContent).toBe(0)
})

test.each(attacks)('an attack is found: $name', async (scenario) => {
  const { withContent, withoutContent } = await rates(scenario)
  expect(withContent).toBe(1)
  if (!scenario.looksNormal) expect(withoutContent).toBe(1)
})
