import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createMessage, generateKey, readPrivateKey, sign } from 'openpgp'
import { onTestFinished } from 'vitest'
import { ZipFile } from 'yazl'
import { releaseFileName } from '../../server/features/components/release/file-names.ts'

/** Releases as restic publishes them, signed by a key made for the test. */

/** Shell scripts that say which restic they are, packed with bzip2. */
const packed: Record<string, string> = {
  '0.17.3':
    'QlpoOTFBWSZTWX6e6rQAAAVZgAAQeAH8gB7n3IAgAEGPUyPU9Q8mUGTTyhQADQAAS5spyYjIqJNTsNEDFhbzsQOt5/PUHvG6h6+sQzCafi7kinChIP091Wg=',
  '0.18.0':
    'QlpoOTFBWSZTWVe2lIQAAAVZgAAQeAH0QB7n3IAgAEjH6poPKMnkhk9TyhRoaAAACVbpvJTmZohaTvyQoMF1XzvYUs2fz2DtHChnKIrRUI/F3JFOFCQV7aUhAA==',
  '0.18.1':
    'QlpoOTFBWSZTWbelN84AAAVZgAAQeAH0QB7n3IAgAEip6nqG1MmZIY1PKFGhoAAABtg5inIkRnXfrEawoEE4T3yIUuu3zXBleaArE72oqEfi7kinChIW9Kb5wA==',
}
/** 400 megabytes of zeros. */
export const bomb = Buffer.from(
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkmU1kOCeLfAV+OQADAAAAIIAAwgE1GQqAlqQqAlzFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkmU1kOCeLfAV+OQADAAAAIIAAwgE1GQqAlqQqAlzFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkmU1kiuZEFAPtFwQDAAAAAgAggADDMCappiVIg2qipEHi7kinChIbAXcMg',
  'base64',
)

export const programOf = (version: string) => `#!/bin/sh\necho "restic ${version} compiled with go1.24.1"\n`

export type Files = Map<string, Buffer>

export interface Signer {
  publicKey: string
  /** Puts the checksums of all files beside them, and their signature. */
  sign(files: Files): Promise<Files>
  /** The files of a release, signed. */
  release(version: string, platforms: readonly string[]): Promise<Files>
}

export async function makeSigner(): Promise<Signer> {
  const { publicKey, privateKey } = await generateKey({ userIDs: [{ name: 'Test' }] })
  const signFiles = async (files: Files): Promise<Files> => {
    const sums = [...files].map(([name, content]) => `${sha256(content)}  ${name}\n`).join('')
    const message = await createMessage({ binary: Buffer.from(sums) })
    const signingKeys = await readPrivateKey({ armoredKey: privateKey })
    const signature = await sign({ message, signingKeys, detached: true })
    return new Map([...files, ['SHA256SUMS', Buffer.from(sums)], ['SHA256SUMS.asc', Buffer.from(String(signature))]])
  }
  return {
    publicKey,
    sign: signFiles,
    release: async (version, platforms) => {
      const files = platforms.map(async (platform): Promise<[string, Buffer]> => {
        const name = releaseFileName(version, platform)
        if (name.endsWith('.zip')) return [name, await zipOf({ [name.replace('.zip', '.exe')]: programOf(version) })]
        return [name, Buffer.from(packed[version] ?? '', 'base64')]
      })
      return signFiles(new Map(await Promise.all(files)))
    },
  }
}

export const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

export async function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  return buffer(zip.outputStream)
}

export interface ReleaseServer {
  /** For `RESTIC_RELEASES_URL`. */
  address: string
  releases: Map<string, Files>
  newest: string
  asked: string[]
  /** What is sent instead of a file of this name. */
  instead: Map<string, 'broken off' | Buffer>
}

/** Serves releases as GitHub does: the newest by a redirect, the files from another address. */
export async function serveReleases(newest: string, files: Files): Promise<ReleaseServer> {
  const served: ReleaseServer = {
    address: '',
    releases: new Map([[newest, files]]),
    newest,
    asked: [],
    instead: new Map(),
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    served.asked.push(path)
    const to = (location: string) => response.writeHead(302, { location }).end()
    if (path === '/releases/latest') return void to(`/releases/tag/v${served.newest}`)
    const [, version = '', name = ''] = /^\/(?:releases\/download|assets)\/v([^/]+)\/([^/]+)$/.exec(path) ?? []
    const content = served.releases.get(version)?.get(name)
    if (!content) return void response.writeHead(404).end()
    if (path.startsWith('/releases/')) return void to(`/assets/v${version}/${name}`)
    const other = served.instead.get(name) ?? content
    if (other !== 'broken off') return void response.end(other)
    response.writeHead(200, { 'content-length': content.length })
    response.write(content.subarray(0, 10), () => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  served.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases`
  return served
}

const boundary = 'homeport-release-boundary'

/** Files as a browser’s form sends them, each as `file`. */
export function formOf(files: Iterable<[name: string, content: Buffer]>) {
  const parts = [...files].flatMap(([name, content]) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    content,
    Buffer.from('\r\n'),
  ])
  return {
    payload: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}
