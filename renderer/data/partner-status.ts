import { queryOptions } from '@tanstack/react-query'
import { partnerStanding } from '../../shared/api/partners.ts'
import { api } from '../lib/api.ts'
import { ApiError } from '../lib/api-error.ts'
import { type PartnerStatusNotice, partnerStatusNotice } from './partner-status-notice.ts'

/** From the partner's status page, or from the body of the refusal once even that page is closed. */
export const partnerStatusQuery = queryOptions({
  queryKey: ['standing'],
  queryFn: async ({ signal }): Promise<PartnerStatusNotice> => {
    try {
      const reply = await api.call(partnerStanding, {}, signal)
      return partnerStatusNotice(reply.status, reply.statusMessage, reply.statusActionUrl, reply.statusActionLabel)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error
      const { status, message, actionUrl, actionLabel } = error.body
      return partnerStatusNotice(status, message, actionUrl, actionLabel)
    }
  },
  retry: false,
})
