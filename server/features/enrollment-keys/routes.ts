import type { FastifyRequest } from 'fastify'
import * as contract from '../../../shared/api/enrollment-keys.ts'
import { enroll } from '../../../shared/device/enroll.ts'
import { AppError } from '../../platform/errors.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Enrollment } from './enroll.ts'
import type { EnrollmentKeys } from './keys.ts'

export interface AgentSettings {
  heartbeatIntervalSeconds: number
  /** PEM of the certificate authorities a device must trust; null when it uses its own store. */
  caPem(): string | null
}

export function enrollmentRoutes(
  http: Http,
  keys: EnrollmentKeys,
  enrollment: Enrollment,
  settings: AgentSettings,
): void {
  http.user(contract.listEnrollmentKeys, ({ actor, query }) => keys.list(actor, query))
  http.user(contract.createEnrollmentKey, ({ actor, body }) => keys.create(actor, body))
  http.user(contract.readEnrollmentKey, ({ actor, params }) => keys.read(actor, params.id))
  http.user(contract.rotateEnrollmentKey, ({ actor, params, body }) => keys.rotate(actor, params.id, body))
  http.user(contract.deleteEnrollmentKey, ({ actor, params }) => {
    keys.remove(actor, params.id)
    return { success: true as const, message: 'Enrollment key deleted successfully' }
  })
  http.user(contract.purgeExpiredEnrollmentKeys, ({ actor }) => ({
    success: true as const,
    deletedCount: keys.purgeExpired(actor),
  }))
  http.user(contract.downloadInstaller, ({ actor, params }) => {
    keys.read(actor, params.id)
    throw new AppError('INSTALLER_UNAVAILABLE')
  })

  http.public(
    enroll,
    ({ actor, body, request }) => {
      const caPem = settings.caPem()
      const enrolled = enrollment.enroll(
        {
          request: body,
          secret: body.enrollmentSecret ?? header(request, 'x-agent-enrollment-secret'),
          formerToken: header(request, 'x-agent-reenrollment-token') ?? bearer(request),
        },
        actor.origin,
      )
      return {
        ...enrolled,
        config: {
          heartbeatIntervalSeconds: settings.heartbeatIntervalSeconds,
          metricsCollectionIntervalSeconds: 30,
          enabledCollectors: ['hardware', 'software', 'metrics', 'network'],
        },
        mtls: null,
        manifestTrustKeys: [],
        manifestKeyDelegations: [],
        trust: caPem === null ? null : { caPem },
      }
    },
    // The rate limit comes before the shape of the request.
    (origin) => enrollment.admit(origin),
  )
}

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const bearer = (request: FastifyRequest) => header(request, 'authorization')?.replace(/^Bearer /, '')
