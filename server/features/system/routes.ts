import { events } from '../../../shared/api/events.ts'
import * as contract from '../../../shared/api/system.ts'
import { userAccess } from '../../../shared/endpoint.ts'
import type { Audit } from '../../platform/audit.ts'
import { isOwnMachine } from '../../platform/client-address.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Jobs } from '../../platform/jobs.ts'
import type { LiveEvents } from '../../platform/live.ts'
import { type PublicAddress, publicOrigin } from '../../platform/public-address.ts'
import type { PublicAddressChanges } from '../../platform/public-address-changes.ts'
import type { Authentication, Identities } from '../authentication/index.ts'
import type { AgentFile } from './agent-file.ts'
import type { ConnectionInfo } from './connection-info.ts'
import { streamEvents } from './event-stream.ts'
import type { MetricsPage } from './metrics-page.ts'
import { describeApi } from './openapi.ts'
import type { TaskList } from './task-list.ts'

interface SystemRouteServices {
  version: string
  isReady: () => boolean
  jobs: Jobs
  taskList: TaskList
  audit: Audit
  live: LiveEvents
  identities: Identities
  agentFile: AgentFile
  connectionInfo: ConnectionInfo
  publicAddress: PublicAddress
  publicAddressChanges: PublicAddressChanges
  assertOwner: Authentication['assertOwner']
  metricsPage: MetricsPage
}

export function systemRoutes(http: Http, services: SystemRouteServices): void {
  backgroundRoutes(http, services)
  trustRoutes(http, services)
  addressRoutes(http, services)
  publicFileRoutes(http, services)

  http.public(contract.health, () => {
    if (!services.isReady()) throw new AppError('unavailable')
    return { status: 'ok' as const, version: services.version }
  })
  http.public(contract.metrics, async ({ request, reply }) => {
    if (!isOwnMachine(request.raw)) await http.admitUser(request, reply, userAccess(undefined, { platformAdmin: true }))
    reply.header('content-type', contract.metrics.content)
    return services.metricsPage.text()
  })
  http.user(events, ({ actor, query, reply }) => {
    streamEvents(actor, query.deviceId, reply, services)
    // The stream has taken over the answer.
    return ''
  })
}

/** Jobs and tasks. */
function backgroundRoutes(http: Http, { jobs, taskList, audit }: SystemRouteServices): void {
  http.user(contract.listJobs, () => ({ data: jobs.list() }))
  http.user(contract.runJob, async ({ actor, params }) => {
    const data = await jobs.runNow(params.name)
    audit(actor, {
      action: 'platform_admin.jobs.run',
      resourceType: 'job',
      resourceName: params.name,
      details: { outcome: data.lastOutcome },
      result: data.lastOutcome === 'failure' ? 'failure' : 'success',
    })
    return { data }
  })

  http.user(contract.listTasks, ({ query }) => taskList.page(query))
  http.user(contract.retryTask, ({ actor, params }) => {
    taskList.retry(actor, params.id)
    return { success: true as const }
  })
  http.user(contract.cancelTask, ({ actor, params }) => {
    taskList.cancel(actor, params.id)
    return { success: true as const }
  })
}

/** Addresses and certificates. */
function trustRoutes(http: Http, { connectionInfo, audit }: SystemRouteServices): void {
  http.user(contract.connectionInfo, ({ actor }) => connectionInfo.describe(actor))
  http.public(contract.caCertificate, ({ reply }) => {
    const pem = connectionInfo.caPem()
    if (pem === null) throw new AppError('not_found', { path: contract.caCertificate.path })
    reply.header('content-type', contract.caCertificate.content).header('cache-control', 'no-store')
    return pem
  })

  http.user(contract.rotateCa, async ({ actor }) => {
    await connectionInfo.rotateCa()
    audit(actor, { action: 'system.ca.rotate', resourceType: 'system' })
    return { success: true as const }
  })
}

function addressRoutes(http: Http, services: SystemRouteServices): void {
  http.user(contract.updatePublicAddress, async ({ actor, body: { url, currentPassword } }) => {
    const { assertOwner, publicAddress, publicAddressChanges } = services
    await assertOwner(actor, currentPassword)
    if (publicAddress.source() === 'environment') throw new AppError('set_by_environment')
    const origin = url === null ? null : publicOrigin(url)
    if (url !== null && origin === null)
      throw fieldError('url', 'Must be an http or https address that other machines can open, without a path')
    publicAddressChanges.change(actor, origin)
    return { success: true as const }
  })
}

/** The program of the agent and the description of the API. */
function publicFileRoutes(http: Http, services: SystemRouteServices): void {
  http.public(contract.agentFile, async ({ reply }) => {
    const file = await services.agentFile.read()
    if (!file) throw new AppError('binary_not_found', { message: 'Build it on the appliance: npm run build:agent' })
    reply.header('content-type', contract.agentFile.content).header('x-sha256', file.sha256)
    return file.text
  })

  let description: string | undefined
  http.public(contract.openApiDocument, ({ reply }) => {
    description ??= JSON.stringify(describeApi(http.endpoints, services.version))
    reply.header('content-type', 'application/json; charset=utf-8')
    return description
  })
}
