import { authMe } from '../../../../shared/api/auth.ts'
import { usersMe } from '../../../../shared/api/profile.ts'
import type { Http } from '../../../platform/http/http.ts'
import type { IdentityServices } from '../services.ts'

export function accountRoutes(http: Http, { profile }: IdentityServices): void {
  http.user(authMe, ({ actor }) => profile.account(actor))
  http.user(usersMe, ({ actor }) => profile.me(actor))
}
