import { grantableScopes } from '../../shared/api/in-use.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { type Ids, type NamedIds, type Request, send } from '../contract/kit.ts'
import { idsOf, omnipotent, showFactor, twoCompanies } from '../contract/stage.ts'
import { apiKeyOf, holdings, type Person } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/test-app.ts'

/** What somebody must not learn of, and by what it would be known. */
export interface Foreign {
  name: string
  ids: Record<string, string>
  words: readonly string[]
}

export interface Caller {
  name: string
  /** Only what API keys are accepted for. */
  isKey?: true
  foreign: readonly Foreign[]
  call: (endpoint: Endpoint, request: Request) => ReturnType<typeof send>
}

/** What everybody in the company may hear of, whatever organizations they look after. */
const companyWide = new Set<keyof NamedIds>([
  'partner',
  'bareCompany',
  'staffProvider',
  'identity',
  'mergeRun',
  'user',
  'invited',
  'role',
  'passkey',
  'session',
  'membership',
  'mail',
])

/**
 * A company with two organizations beside another company; and of the former, everybody whose sight ends somewhere, with
 * all the permissions there are.
 */
export async function neighbours(app: TestApp): Promise<{ own: Ids; callers: Caller[] }> {
  const { ids, otherIds, other } = await twoCompanies(app)
  const company: Foreign = { name: 'another company', ids, words: ['"Berlin"', '"pc-1"', 'ada@acme.test'] }
  const beside = await holdings(app, other.admin.token, 'Hidden', 'hidden-pc')
  const admin = { token: other.admin.token, userId: other.admin.id, partnerId: other.partnerId }
  const all = Object.entries(await idsOf(app, admin, beside)) as [keyof NamedIds, string][]
  const organization: Foreign = {
    name: 'another organization',
    ids: Object.fromEntries(all.filter(([kind]) => !companyWide.has(kind))),
    words: ['"Hidden"', '"hidden-pc"'],
  }
  const bearer =
    (token: string): Caller['call'] =>
    (endpoint, request) =>
      send(app, endpoint, { ...request, token })
  const colleague = async (who: Person) => {
    const { id, token } = await omnipotent(app, who)
    showFactor(app, id)
    return bearer(token)
  }
  const partner = { scope: 'partner', partnerId: other.partnerId } as const
  const inside = { scope: 'organization', orgId: otherIds.org } as const
  const selected = { ...partner, orgAccess: 'selected' as const, orgIds: [otherIds.org] }
  const { key } = await apiKeyOf(app, other.admin.token, otherIds.org, grantableScopes)
  // The hour does not pass; there is room for all calls in it.
  app.db.statement('UPDATE api_keys SET rate_limit = 100000').run()
  const both = [company, organization]
  return {
    own: otherIds,
    callers: [
      { name: 'administrator of the company', foreign: [company], call: bearer(other.admin.token) },
      {
        name: 'who looks after one organization',
        foreign: both,
        call: await colleague({ email: 'sel@x.test', ...selected }),
      },
      {
        name: 'administrator of an organization',
        foreign: both,
        call: await colleague({ email: 'org@x.test', ...inside }),
      },
      {
        name: 'who sees one site',
        foreign: both,
        call: await colleague({ email: 'site@x.test', ...inside, siteIds: [otherIds.site] }),
      },
      {
        name: 'API key',
        isKey: true,
        foreign: both,
        call: (endpoint, request) => send(app, endpoint, { ...request, headers: { 'x-api-key': key } }),
      },
    ],
  }
}
