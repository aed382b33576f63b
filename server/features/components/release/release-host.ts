import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'undici'
import { maxReleaseFile } from '../../../../shared/api/components.ts'
import { componentVersion } from '../../../../shared/components.ts'
import { type Destinations, Unreachable } from '../../../platform/outbound/index.ts'

/** Why a release could not be fetched, as the administrator reads it. */
export class ReleaseUnavailable extends Error {}

const mostRedirects = 5

/** Where releases are published, as GitHub does it: `<address>/latest` and `<address>/download/v<version>/<file>`. */
export class ReleaseHost {
  readonly address: string
  readonly #destinations: Destinations

  constructor(address: string, destinations: Destinations) {
    this.address = address.replace(/\/+$/, '')
    this.#destinations = destinations
  }

  get host(): string {
    return new URL(this.address).host
  }

  /** The page of the newest release is a redirect to the page of its version. */
  async newestVersion(signal: AbortSignal): Promise<string> {
    const response = await this.#ask(`${this.address}/latest`, signal)
    await response.body?.cancel()
    const named = /\/tag\/v([^/?#]+)$/.exec(response.headers.get('location') ?? '')?.[1]
    const version = componentVersion.safeParse(named)
    if (version.success) return version.data
    throw new ReleaseUnavailable(`${this.host} doesn’t say which release is the newest. Enter a version.`)
  }

  /** Writes a file of a release into the folder, and answers where. `onBytes` is told of each piece. */
  async fetch(
    { version, name, folder }: { version: string; name: string; folder: string },
    signal: AbortSignal,
    onBytes: (bytes: number) => void,
  ): Promise<string> {
    const response = await this.#follow(`${this.address}/download/v${version}/${name}`, signal)
    if (response.status === 404) {
      await response.body?.cancel()
      throw new ReleaseUnavailable(`${this.host} has no file ${name} of version ${version}.`)
    }
    if (!response.ok || !response.body) throw await this.#unexpected(response)
    let bytes = 0
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        bytes += chunk.length
        onBytes(chunk.length)
        done(bytes > maxReleaseFile ? new ReleaseUnavailable(`${name} is too large for a release file.`) : null, chunk)
      },
    })
    const path = join(folder, name)
    try {
      await pipeline(Readable.fromWeb(response.body), counted, createWriteStream(path, { flags: 'wx' }), { signal })
    } catch (error) {
      if (error instanceof ReleaseUnavailable || signal.aborted || isOfDisk(error)) throw error
      throw new ReleaseUnavailable(`The download of ${name} broke off. Try again.`, { cause: error })
    }
    return path
  }

  /** Files lie on another server than the page that lists them. Each step is judged as the first one is. */
  async #follow(address: string, signal: AbortSignal): Promise<Response> {
    let url = new URL(address)
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      const response = await this.#ask(url.href, signal)
      const location = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || location === null) return response
      await response.body?.cancel()
      const next = new URL(location, url)
      if (next.protocol !== url.protocol) throw new ReleaseUnavailable(`${url.host} leads to an address without TLS.`)
      url = next
    }
    throw new ReleaseUnavailable(`${this.host} leads from one address to the next.`)
  }

  async #ask(url: string, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#destinations.fetch(url, { signal, headers: { 'user-agent': 'Homeport' } })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Unreachable)) throw error
      const words = `${new URL(url).host} can’t be reached from the appliance. Without internet, upload the release files instead.`
      throw new ReleaseUnavailable(words, { cause: error })
    }
  }

  async #unexpected(response: Response): Promise<ReleaseUnavailable> {
    await response.body?.cancel()
    return new ReleaseUnavailable(`${this.host} answered ${response.status}.`)
  }
}

const isOfDisk = (error: unknown): boolean => error instanceof Error && 'syscall' in error && 'path' in error
