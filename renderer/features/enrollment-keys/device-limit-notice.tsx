import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { deviceStatsQuery } from '../../data/devices.ts'
import { organizationQuery } from '../../data/organizations.ts'
import { ownPartnerQuery } from '../../data/partner.ts'
import { count, plural } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Notice } from '../../ui/notice.tsx'

/** Says whose device limit is reached, so that no device can enroll; absent otherwise. */
export function DeviceLimitNotice({ orgId }: { orgId: string | undefined }) {
  const full = useFull(orgId)
  if (!full) return null
  const { who, used, limit } = full
  return (
    <Notice tone="warn">
      <Text size="sm">
        {who} has {plural(used, 'device')} and a limit of {count(limit)}. No more devices can enroll, with any key,
        until some are decommissioned or the limit is raised.
      </Text>
    </Notice>
  )
}

function useFull(orgId: string | undefined) {
  const me = useMe()
  const isOfPartner = me.scope === 'partner'
  const stats = (of: string | undefined, isAsked: boolean) => ({
    ...deviceStatsQuery(of),
    enabled: isAsked && can(me, 'devices:read'),
  })
  const organization = useQuery({ ...organizationQuery(orgId ?? ''), enabled: Boolean(orgId) }).data
  const partner = useQuery({ ...ownPartnerQuery, enabled: isOfPartner }).data
  const here = useQuery(stats(orgId, Boolean(orgId))).data
  const everywhere = useQuery(stats(undefined, isOfPartner)).data
  const limits = [
    { who: organization?.name, used: here?.data.total, limit: organization?.maxDevices },
    {
      who: 'Your company',
      used: everywhere?.data.total,
      limit: partner?.plan === 'unlimited' ? null : partner?.maxDevices,
    },
  ]
  return limits.flatMap(({ who, used, limit }) =>
    who && used !== undefined && typeof limit === 'number' && used >= limit ? [{ who, used, limit }] : [],
  )[0]
}
