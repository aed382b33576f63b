import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import {
  type ComponentName,
  compareVersions,
  componentName,
  componentPlatform,
  componentVersion,
} from '../../../shared/components.ts'
import { leftoversIn } from '../../lib/leftovers.ts'
import type { Log } from '../../platform/log.ts'
import { factsName, type ProgramFacts, programFacts } from './program-facts.ts'
import type { ProgramKey, ReadyProgram } from './program-key.ts'
import { programName } from './release/file-names.ts'

export interface Program extends ProgramKey, ProgramFacts {
  /** Where it is. */
  file: string
}

const draftPrefix = '.draft-'

/**
 * The programs that the appliance has, each in `<component>/<version>/<platform>/` with what is known about it. The disk
 * is the truth: it is read at the start, and what is not complete there does not exist.
 */
export class ProgramFolder {
  readonly #root: string
  #programs: readonly Program[]
  /** Drafts of a process that was killed. */
  readonly removeLeftovers: () => Promise<void>

  constructor(root: string, log: Log) {
    this.#root = root
    mkdirSync(root, { recursive: true, mode: 0o700 })
    this.removeLeftovers = leftoversIn(root, draftPrefix)
    this.#programs = keysIn(root).flatMap((key) => {
      const program = readProgram(root, key)
      if (!program) log.warn(key, 'A program for agents is damaged, and left out')
      return program ?? []
    })
  }

  /** Newest first. */
  all(component: ComponentName): Program[] {
    return this.#programs
      .filter((one) => one.component === component)
      .sort((one, other) => compareVersions(other.version, one.version) || one.platform.localeCompare(other.platform))
  }

  find({ component, version, platform }: ProgramKey): Program | undefined {
    return this.all(component).find((one) => one.version === version && one.platform === platform)
  }

  /** What agents of the platform get. */
  newest(component: ComponentName, platform: string): Program | undefined {
    return this.all(component).find((one) => one.platform === platform)
  }

  /** For files on their way in; on the disk on which they will stay, so that a rename is enough. */
  async draft(): Promise<string> {
    const folder = join(this.#root, `${draftPrefix}${randomUUID()}`)
    await mkdir(folder, { mode: 0o700 })
    return folder
  }

  /** Replaces what had its place. */
  put({ folder, facts, ...key }: ReadyProgram): void {
    const place = placeOf(this.#root, key)
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
    this.#clear(place)
    renameSync(folder, place)
    const program = { ...key, ...facts, file: fileIn(place, key) }
    this.#programs = [...this.#programs.filter((one) => !isSame(one, key)), program]
  }

  remove(key: ProgramKey): void {
    this.#clear(placeOf(this.#root, key))
    this.#programs = this.#programs.filter((one) => !isSame(one, key))
  }

  /** Out of the way immediately; what an agent is downloading stays readable until it is done. */
  #clear(place: string): void {
    if (!statSync(place, { throwIfNoEntry: false })) return
    const grave = join(this.#root, `${draftPrefix}${randomUUID()}`)
    renameSync(place, grave)
    // What is left over, the next start removes.
    rm(grave, { recursive: true, force: true }).catch(() => {})
  }
}

const placeOf = (root: string, { component, version, platform }: ProgramKey) => join(root, component, version, platform)

const fileIn = (place: string, { component, platform }: ProgramKey) => join(place, programName(component, platform))

const isSame = (one: ProgramKey, other: ProgramKey) =>
  one.component === other.component && one.version === other.version && one.platform === other.platform

const keysIn = (root: string): ProgramKey[] =>
  componentName.options.flatMap((component) =>
    namesIn(join(root, component), componentVersion).flatMap((version) =>
      namesIn(join(root, component, version), componentPlatform).map((platform) => ({ component, version, platform })),
    ),
  )

function namesIn(folder: string, shape: z.ZodType<string>): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder).filter((name) => shape.safeParse(name).success)
}

function readProgram(root: string, key: ProgramKey): Program | null {
  const place = placeOf(root, key)
  const file = fileIn(place, key)
  try {
    const facts = programFacts.parse(JSON.parse(readFileSync(join(place, factsName), 'utf8')))
    return statSync(file).size === facts.bytes ? { ...key, ...facts, file } : null
  } catch {
    return null
  }
}
