import type { Updateable } from 'kysely'
import type { Partner } from '../../../shared/api/partners.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { AppError } from '../../platform/errors.ts'
import type { PartnerTable } from './tables.ts'

type Mode = Partner['serviceManagementMode']

interface ServiceManagementInput {
  serviceManagementMode?: Mode | undefined
  serviceManagementPsaConnectionId?: string | null | undefined
}

/** Mode and connection are settled together: `external` works with a connection of the partner itself, others with none. */
export function serviceManagementColumns(
  db: Database,
  partnerId: string,
  wanted: ServiceManagementInput,
): Updateable<PartnerTable> {
  const { serviceManagementMode: mode, serviceManagementPsaConnectionId: connectionId } = wanted
  if (mode === undefined) {
    if (connectionId !== undefined) throw new AppError('service_mode_required')
    return {}
  }
  if (mode !== 'external') return { service_management_mode: mode, service_management_psa_connection_id: null }
  if (!connectionId || !isOfPartner(db, connectionId, partnerId)) throw new AppError('psa_connection_required')
  return { service_management_mode: mode, service_management_psa_connection_id: connectionId }
}

/** What is stored but no mode of ours is `native`: a broken row must not turn the service desk off. */
export function serviceManagementOf(row: {
  service_management_mode: string
  service_management_psa_connection_id: string | null
}): Required<Pick<Partner, 'serviceManagementMode' | 'serviceManagementPsaConnectionId'>> {
  const { service_management_mode: mode, service_management_psa_connection_id: connectionId } = row
  if (mode === 'external') return { serviceManagementMode: mode, serviceManagementPsaConnectionId: connectionId }
  return { serviceManagementMode: mode === 'off' ? mode : 'native', serviceManagementPsaConnectionId: null }
}

const isOfPartner = (db: Database, connectionId: string, partnerId: string): boolean =>
  db.first(
    q.selectFrom('psa_connections').select('id').where('id', '=', connectionId).where('partner_id', '=', partnerId),
  ) !== undefined
