import { createReadStream } from 'node:fs'
import type { FastifyReply } from 'fastify'
import * as contract from '../../../shared/api/components.ts'
import { downloadComponentFile, readComponentOffer } from '../../../shared/device/components.ts'
import type { Database } from '../../db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Components } from './components.ts'
import { lackingDevices } from './coverage.ts'
import type { Downloads } from './downloads.ts'
import type { Intake } from './intake.ts'
import type { Program, ProgramFolder } from './program-folder.ts'
import { takeUpload } from './upload.ts'

interface ComponentRoutes {
  db: Database
  components: Components
  programs: ProgramFolder
  intake: Intake
  downloads: Downloads
}

export function componentRoutes(http: Http, services: ComponentRoutes): void {
  const { db, components, programs, intake, downloads } = services
  http.user(contract.readComponent, ({ actor, params }) => components.describe(actor, params.component))
  http.user(contract.listLackingDevices, ({ actor, query }) => lackingDevices(db, actor, query))
  http.user(contract.downloadComponent, ({ actor, params, body }) => {
    downloads.start(actor, params.component, body)
    return { success: true as const }
  })
  http.user(contract.uploadComponent, async ({ actor, params, request, reply }) => {
    const left = new AbortController()
    reply.raw.once('close', () => left.abort())
    const added = await takeUpload({ programs, intake }, { actor, request, ...params }, left.signal)
    return { added: added.map(({ version, platform }) => ({ version, platform })) }
  })
  http.user(contract.removeProgram, async ({ actor, params }) => {
    await components.remove(actor, params)
    return { success: true as const }
  })
  deviceRoutes(http, components)
}

/** So many agents download at the same time; the others come again. A fleet that starts together would fill the network. */
const mostDownloads = 16
const retryAfterSeconds = 60

function deviceRoutes(http: Http, components: Components): void {
  let downloads = 0
  http.agent(readComponentOffer, ({ params, query }) => ({
    offer: components.offer(params.component, query.platform),
  }))
  http.agent(downloadComponentFile, ({ params, request, reply }) => {
    const program = components.program(params)
    const from = startOf(request.headers.range, program.bytes)
    if (request.method === 'HEAD') return describe(reply, program, from).send()
    if (downloads >= mostDownloads) throw new AppError('component_busy', { retryAfter: retryAfterSeconds })
    downloads++
    const content = createReadStream(program.file, { start: from })
    content.once('close', () => downloads--)
    return describe(reply, program, from).send(content)
  })
}

/** Of `bytes=N-`; any other range gets all of it, as the protocol allows. */
function startOf(range: string | undefined, bytes: number): number {
  const from = Number(/^bytes=(\d{1,12})-$/.exec(range ?? '')?.[1] ?? 0)
  return from < bytes ? from : 0
}

const describe = (reply: FastifyReply, { bytes, sha256 }: Program, from: number): FastifyReply =>
  reply.code(from > 0 ? 206 : 200).headers({
    'content-type': downloadComponentFile.content,
    'content-length': bytes - from,
    'cache-control': 'no-store',
    'accept-ranges': 'bytes',
    'x-sha256': sha256,
    ...(from > 0 && { 'content-range': `bytes ${from}-${bytes - 1}/${bytes}` }),
  })
