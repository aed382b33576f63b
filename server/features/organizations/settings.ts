import type { updateOrganization } from '../../../shared/api/organizations.ts'
import type { BodyOf } from '../../../shared/endpoint.ts'
import { storableSecurity } from '../partners/index.ts'

export type Json = Record<string, unknown>

/** Settings are free to use and replaced as a whole, but for what the server goes by. */
export const storableSettings = ({
  security,
  ...others
}: NonNullable<BodyOf<typeof updateOrganization>['settings']>): Json => ({
  ...others,
  ...(security && { security: storableSecurity(security) }),
})
