import { useQuery } from '@tanstack/react-query'
import type { MailDelivery } from '../../../shared/api/registration.ts'
import { publicConfigQuery } from '../../lib/session.ts'

/** What becomes of mail; `server` until that is known. */
export const useMailDelivery = (): MailDelivery => useQuery(publicConfigQuery).data?.mail.delivery ?? 'server'
