import { randomUUIDv7 } from 'node:crypto'
import type {
  addPolicyLink,
  FeatureType,
  listPolicyLinks,
  PolicyLink,
  updatePolicyLink,
} from '../../../shared/api/configuration-policies.ts'
import type { BodyOf, ReplyOf } from '../../../shared/endpoint.ts'
import { isObject } from '../../../shared/objects.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { toJson } from '../../lib/json.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { changedFieldsOf, changeOf, differing } from '../../platform/updates.ts'
import type { Owner } from '../organization-access/index.ts'
import { linksOf } from './policies.ts'
import { eventAbout, findPolicyToRead, findPolicyToWrite, touchPolicy } from './policy-access.ts'
import { type LinkRow, linkView } from './views.ts'

/** What somebody wants a policy to say about a feature. */
export interface WantedLink {
  featurePolicyId: string | null
  inlineSettings: Record<string, unknown> | null
}

/** What a feature knows of the settings it has in policies. */
export interface LinkKind {
  /**
   * Looks at settings before they are saved, in the same transaction.
   * @param before what the policy says now; null when it says nothing yet
   * @throws AppError naming the field that is wrong
   */
  check(actor: UserActor, owner: Owner, wanted: WantedLink, before: WantedLink | null): CheckedLink
}

export interface CheckedLink {
  /** In the form in which they are kept. */
  inlineSettings: Record<string, unknown> | null
  /** Called once the link has its id. */
  saved(linkId: string): void
}

interface LinkServices {
  db: Database
  clock: Clock
  audit: Audit
}

/** What policies say, one link for each feature. */
export class PolicyLinks {
  readonly #services: LinkServices
  readonly #kinds = new Map<FeatureType, LinkKind>()

  constructor(services: LinkServices) {
    this.#services = services
  }

  /** To be called once for each feature, by the feature. */
  register(featureType: FeatureType, kind: LinkKind): void {
    this.#kinds.set(featureType, kind)
  }

  list(actor: UserActor, policyId: string): ReplyOf<typeof listPolicyLinks> {
    const { db } = this.#services
    return { data: linksOf(db, findPolicyToRead(db, actor, policyId).id).map(linkView) }
  }

  add(actor: UserActor, policyId: string, { featureType, ...sent }: BodyOf<typeof addPolicyLink>): PolicyLink {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const policy = findPolicyToWrite(db, actor, policyId)
      const wanted = { featurePolicyId: sent.featurePolicyId ?? null, inlineSettings: sent.inlineSettings ?? null }
      if (linksOf(db, policyId).some((link) => link.feature_type === featureType))
        throw new AppError('policy_link_exists')
      const checked = this.#kindOf(featureType).check(actor, policy, wanted, null)
      const id = randomUUIDv7()
      const now = isoNow(clock)
      db.run(
        q.insertInto('config_policy_feature_links').values({
          id,
          config_policy_id: policyId,
          feature_type: featureType,
          feature_policy_id: wanted.featurePolicyId,
          inline_settings: checked.inlineSettings && toJson(checked.inlineSettings),
          created_at: now,
          updated_at: now,
        }),
      )
      checked.saved(id)
      touchPolicy(db, clock, policyId)
      audit(actor, { action: 'config_policy.feature_link.add', ...eventAbout(policy), details: { featureType } })
      return linkView(this.#find(policyId, id))
    })
  }

  update(actor: UserActor, policyId: string, id: string, sent: BodyOf<typeof updatePolicyLink>): PolicyLink {
    const { db, clock, audit } = this.#services
    return db.transaction(() => {
      const policy = findPolicyToWrite(db, actor, policyId)
      const before = linkView(this.#find(policyId, id))
      changedFieldsOf(sent)
      const wanted: WantedLink = {
        featurePolicyId: sent.featurePolicyId === undefined ? before.featurePolicyId : sent.featurePolicyId,
        inlineSettings: sent.inlineSettings === undefined ? before.inlineSettings : sent.inlineSettings,
      }
      const checked = this.#kindOf(before.featureType).check(actor, policy, wanted, before)
      const now = isoNow(clock)
      db.run(
        q
          .updateTable('config_policy_feature_links')
          .set({
            feature_policy_id: wanted.featurePolicyId,
            inline_settings: checked.inlineSettings && toJson(checked.inlineSettings),
            updated_at: now,
          })
          .where('id', '=', id),
      )
      checked.saved(id)
      touchPolicy(db, clock, policyId)
      const after = linkView(this.#find(policyId, id))
      const details = { featureType: before.featureType, ...changeOfLink(before, after) }
      audit(actor, { action: 'config_policy.feature_link.update', ...eventAbout(policy), details })
      return after
    })
  }

  remove(actor: UserActor, policyId: string, id: string): void {
    const { db, clock, audit } = this.#services
    db.transaction(() => {
      const policy = findPolicyToWrite(db, actor, policyId)
      const { feature_type: featureType } = this.#find(policyId, id)
      db.run(q.deleteFrom('config_policy_feature_links').where('id', '=', id))
      touchPolicy(db, clock, policyId)
      audit(actor, { action: 'config_policy.feature_link.remove', ...eventAbout(policy), details: { featureType } })
    })
  }

  #find(policyId: string, id: string): LinkRow {
    const link = linksOf(this.#services.db, policyId).find((one) => one.id === id)
    if (!link) throw new AppError('policy_link_not_found')
    return link
  }

  #kindOf(featureType: FeatureType): LinkKind {
    const kind = this.#kinds.get(featureType)
    if (!kind) throw new Error(`Nobody knows the settings of ${featureType}`)
    return kind
  }
}

/** Setting by setting, as in `schedule.time`. */
function changeOfLink(before: PolicyLink, after: PolicyLink) {
  const [old, now] = [settingsOf(before), settingsOf(after)]
  const fields = [...new Set([...differing(old, now), ...differing(now, old)])]
  const missing = Object.fromEntries(fields.map((field) => [field, null]))
  return changeOf(fields, { ...missing, ...old }, { ...missing, ...now })
}

const settingsOf = ({ featurePolicyId, inlineSettings }: PolicyLink): Record<string, unknown> => ({
  featurePolicyId,
  ...flat(inlineSettings ?? {}),
})

const flat = (settings: Record<string, unknown>, path = ''): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) =>
      isObject(value) ? Object.entries(flat(value, `${path}${key}.`)) : [[`${path}${key}`, value]],
    ),
  )
