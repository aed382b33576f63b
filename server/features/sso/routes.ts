import { readSsoTrust } from '../../../shared/api/sso-trust.ts'
import type { Http } from '../../platform/http/http.ts'
import type { Sso } from './create-sso.ts'

export function ssoRoutes(http: Http, { trust }: Sso): void {
  http.user(readSsoTrust, () => ({ data: trust.view }))
}
