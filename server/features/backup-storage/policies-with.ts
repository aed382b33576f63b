import { byName } from '../../db/by-name.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'

/** The policies that name a storage as the place for backups. All are of its organization. */
export const policiesWith = (db: Database, configId: string) =>
  db.all(
    q
      .selectFrom('config_policy_feature_links as link')
      .innerJoin('backup_link_references as reference', 'reference.feature_link_id', 'link.id')
      .innerJoin('configuration_policies as policy', 'policy.id', 'link.config_policy_id')
      .select(['policy.id', 'policy.name'])
      .where((where) =>
        where.or([
          where('reference.destination_config_id', '=', configId),
          where('link.feature_policy_id', '=', configId),
        ]),
      )
      .orderBy(byName('policy.name'))
      .orderBy('policy.id'),
  )
