import { randomUUIDv7 } from 'node:crypto'
import type { Insertable } from 'kysely'
import { slugFrom } from '../../../shared/names.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Actor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError } from '../../platform/errors.ts'
import { assertSlugFree, takenNames } from './names.ts'
import type { PartnerTable } from './tables.ts'

const maxSuffix = 100
/** Before the suffix. */
const maxMadeLength = 50

export interface PartnerView {
  id: string
  name: string
  slug: string
  status: string
}

type NewPartner = Omit<Insertable<PartnerTable>, 'id' | 'slug' | 'status' | 'created_at' | 'updated_at'> & {
  id?: string
  /** Made from the name when nobody chose one. */
  slug?: string
}

/** Makes companies, inside the transaction of whatever they are made for. */
export class NewPartners {
  readonly #db: Database
  readonly #clock: Clock
  readonly #audit: Audit

  constructor(db: Database, clock: Clock, audit: Audit) {
    this.#db = db
    this.#clock = clock
    this.#audit = audit
  }

  /**
   * An active one; fails with `partner_slug_taken`, or with `slug_space_exhausted` when too many bear the same name and
   * none has been chosen.
   */
  create({ id = randomUUIDv7(), slug, ...wanted }: NewPartner, actor: Actor): PartnerView {
    const now = isoNow(this.#clock)
    if (slug !== undefined) assertSlugFree(this.#db, slug)
    const partner = {
      id,
      name: wanted.name,
      slug: slug ?? this.#freeSlug(wanted.name),
      status: 'active' as const,
    }
    this.#db.run(q.insertInto('partners').values({ ...wanted, ...partner, created_at: now, updated_at: now }))
    this.#audit(actor, {
      action: 'partner.create',
      resourceType: 'partner',
      resourceId: partner.id,
      resourceName: partner.name,
      partnerId: partner.id,
      details: { slug: partner.slug, type: wanted.type, plan: wanted.plan },
    })
    return partner
  }

  #freeSlug(name: string): string {
    const slug = slugFrom(name, maxMadeLength) || 'partner'
    const candidates = [slug, ...Array.from({ length: maxSuffix }, (_, n) => `${slug}-${n + 1}`)]
    const taken = takenNames(this.#db, candidates)
    const free = candidates.find((candidate) => !taken.has(candidate))
    if (!free) throw new AppError('slug_space_exhausted')
    return free
  }
}
