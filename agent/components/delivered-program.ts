import { createHash } from 'node:crypto'
import { chmodSync, createReadStream, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { type ComponentName, componentVersion, isNewer } from '../../shared/components.ts'
import type { ComponentOffer } from '../../shared/device/components.ts'
import { syncToDisk, writeFileDurably } from '../../shared/node/files.ts'
import { makePrivateFolder, readIfPresent } from '../files.ts'
import type { Log } from '../log.ts'
import { parseJson } from '../server-client.ts'

export interface Program {
  file: string
  version: string
}

/** Fetches the rest of a file, from its present end on. */
export type FetchProgram = (offer: ComponentOffer, file: string) => Promise<void>

interface Using {
  component: ComponentName
  /** Private. */
  folder: string
  /** Runs the program: the version it says it is, null when it does not run here. */
  versionOf(file: string): Promise<string | null>
  log: Log
}

const pointer = z.object({ version: componentVersion, sha256: z.string(), former: componentVersion.nullable() })
const pointerName = 'current.json'

/**
 * A program that came from the appliance: each version in a folder of its own, and a file that says which one counts.
 * None is run before its checksum was found right, in this process and not only in the one that fetched it.
 */
export class DeliveredProgram {
  readonly #using: Using
  #current: (Program & { sha256: string }) | null = null
  /** Programs that do not run on this device, by checksum. */
  readonly #useless = new Set<string>()
  #holds = 0
  #released: (() => void)[] = []

  constructor(using: Using) {
    this.#using = using
  }

  get current(): Program | null {
    return this.#current && { file: this.#current.file, version: this.#current.version }
  }

  /** Finds what was fetched before. */
  async open(): Promise<void> {
    const { folder, log } = this.#using
    const named = pointer.safeParse(parseJson(readIfPresent(join(folder, pointerName)) ?? '')).data
    if (!named) return
    const { version, sha256 } = named
    const file = this.#fileOf(version)
    if ((await sha256Of(file)) === sha256) this.#current = { file, version, sha256 }
    else log.error(`components: ${file} is damaged, and not used`)
  }

  /** While anything holds it, the program stays the same; a newer one waits. */
  hold(): () => void {
    this.#holds++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      if (--this.#holds > 0) return
      for (const go of this.#released.splice(0)) go()
    }
  }

  /** Takes what the appliance offers, if it is newer and runs here. @throws Error when it cannot be fetched whole */
  async take(offer: ComponentOffer, fetch: FetchProgram): Promise<boolean> {
    const { folder, versionOf, log } = this.#using
    if (this.#useless.has(offer.sha256)) return false
    if (this.#current && !isNewer(offer.version, this.#current.version)) return false
    makePrivateFolder(folder)
    const part = join(folder, `${offer.version}-${offer.sha256.slice(0, 16)}.part`)
    for (const other of this.#names((name) => name.endsWith('.part')))
      if (join(folder, other) !== part) rmSync(join(folder, other), { force: true })
    await fetch(offer, part)
    if ((await sha256Of(part)) !== offer.sha256) {
      rmSync(part, { force: true })
      throw new Error('what the appliance sent does not have the checksum it announced')
    }
    while (this.#holds > 0) await new Promise<void>((resolve) => this.#released.push(resolve))

    const file = this.#fileOf(offer.version)
    rmSync(join(folder, offer.version), { recursive: true, force: true, maxRetries: 3 })
    mkdirSync(join(folder, offer.version), { mode: 0o700 })
    chmodSync(part, 0o700)
    syncToDisk(part)
    renameSync(part, file)
    const said = await versionOf(file)
    if (said !== offer.version) {
      this.#useless.add(offer.sha256)
      rmSync(join(folder, offer.version), { recursive: true, force: true, maxRetries: 3 })
      log.error(`components: ${this.#using.component} ${offer.version} of the appliance does not run on this device`)
      return false
    }
    this.#switchTo(offer, file)
    return true
  }

  /** The former version stays, for whatever still knows it by its path. */
  #switchTo({ version, sha256 }: ComponentOffer, file: string): void {
    const { folder, log, component } = this.#using
    const former = this.#current?.version ?? null
    writeFileDurably(join(folder, pointerName), `${JSON.stringify({ version, sha256, former })}\n`)
    this.#current = { file, version, sha256 }
    for (const old of this.#names((name) => componentVersion.safeParse(name).success))
      if (old !== version && old !== former) rmSync(join(folder, old), { recursive: true, force: true, maxRetries: 3 })
    log.info(`components: ${component} ${version} came from the appliance`)
  }

  #fileOf(version: string): string {
    const { folder, component } = this.#using
    return join(folder, version, process.platform === 'win32' ? `${component}.exe` : component)
  }

  #names(fits: (name: string) => boolean): string[] {
    return readdirSync(this.#using.folder).filter(fits)
  }
}

async function sha256Of(file: string): Promise<string | null> {
  if (!statSync(file, { throwIfNoEntry: false })) return null
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
