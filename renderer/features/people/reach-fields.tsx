import { Box, Radio, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import type { UserRow } from '../../../shared/api/people.ts'
import { deviceGroupsQuery } from '../../data/device-groups.ts'
import { organizationTreeQuery } from '../../data/organizations.ts'
import type { RoleAssignment } from '../../data/people.ts'
import { sitesQuery } from '../../data/sites.ts'
import { NoOrganization } from '../../domain/organizations/no-organization.tsx'
import { distinctName, idsWithSharedName } from '../../domain/organizations/same-names.ts'
import { NoSite, openNewSite } from '../../domain/sites/new-site.tsx'
import { withDistinctNames } from '../../domain/sites/site-names.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { MultiSelect } from '../../ui/multi-select.tsx'
import type { OwnReach } from './use-own-reach.ts'

/** Reach of a member as a form holds it; null means unrestricted. */
export interface Reach {
  /** Empty for members of the partner itself. */
  orgId: string
  orgAccess: 'all' | 'selected' | 'none'
  orgIds: string[]
  siteIds: string[] | null
  deviceGroupIds: string[] | null
}

export const emptyReach = {
  orgAccess: 'selected' as Reach['orgAccess'],
  orgIds: [] as string[],
  siteIds: null as string[] | null,
  deviceGroupIds: null as string[] | null,
}

export const reachOf = ({ orgId, orgAccess, orgIds, siteIds, deviceGroupIds }: UserRow): Reach => ({
  orgId: orgId ?? '',
  orgAccess: orgAccess ?? 'none',
  orgIds: orgIds ?? [],
  siteIds: siteIds ?? null,
  deviceGroupIds: deviceGroupIds ?? null,
})

/** The reach in the format of the API, which differs by kind of tenant. */
export const reachBody = ({
  orgId,
  orgAccess,
  orgIds,
  siteIds,
  deviceGroupIds,
}: Reach): Omit<RoleAssignment, 'roleId'> =>
  orgId ? { siteIds, deviceGroupIds } : { orgAccess, ...(orgAccess === 'selected' && { orgIds }) }

export const reachRules = {
  orgIds: (ids: string[], { orgId, orgAccess }: Reach) =>
    !orgId && orgAccess === 'selected' && ids.length === 0 ? 'Choose at least one organization' : null,
  siteIds: (ids: string[] | null) => (ids?.length === 0 ? 'Choose at least one site' : null),
  deviceGroupIds: (ids: string[] | null) => (ids?.length === 0 ? 'Choose at least one group' : null),
}

interface Props<Values extends Reach> {
  orgId: string | undefined
  /** The partner whose organizations are offered, for platform administrators. */
  partnerId: string | undefined
  form: UseFormReturnType<Values>
  own: OwnReach
}

export function ReachFields<Values extends Reach>({ orgId, partnerId, form, own }: Props<Values>) {
  // The fields only use what all these forms have in common.
  const fields = form as unknown as UseFormReturnType<Reach>
  return orgId ? (
    <WithinOrganization orgId={orgId} form={fields} own={own} />
  ) : (
    <AcrossOrganizations partnerId={partnerId} form={fields} />
  )
}

function AcrossOrganizations({ partnerId, form }: { partnerId: string | undefined; form: UseFormReturnType<Reach> }) {
  const enabled = can(useMe(), 'organizations:read')
  const all = useQuery({ ...organizationTreeQuery, enabled }).data
  const organizations = all?.filter((one) => !partnerId || one.partnerId === partnerId) ?? []
  const nameOf = distinctName(idsWithSharedName(organizations))
  return (
    <Radio.Group label="Access" {...form.getInputProps('orgAccess')}>
      <Stack gap="xs" mt={6}>
        <Radio
          value="all"
          label="All organizations"
          description="Includes future ones. Required to manage company people and roles."
        />
        <Radio value="selected" label="Only some organizations" />
        {form.values.orgAccess === 'selected' && all && organizations.length === 0 && (
          <Box ml={{ sm: 30 }}>
            <NoOrganization isInForm>There are no organizations yet.</NoOrganization>
          </Box>
        )}
        {form.values.orgAccess === 'selected' && !(all && organizations.length === 0) && (
          <MultiSelect
            aria-label="Organizations"
            placeholder={form.values.orgIds.length === 0 ? 'Choose organizations' : ''}
            searchable
            limit={50}
            ml={{ sm: 30 }}
            data={organizations.map((one) => ({ value: one.id, label: nameOf(one) }))}
            {...form.getInputProps('orgIds')}
          />
        )}
        <Radio value="none" label="No organization" description="Company-level data only." />
      </Stack>
    </Radio.Group>
  )
}

interface WithinProps {
  orgId: string
  form: UseFormReturnType<Reach>
  own: OwnReach
}

function WithinOrganization({ orgId, form, own }: WithinProps) {
  const me = useMe()
  const { data } = useQuery({ ...sitesQuery(orgId), enabled: can(me, 'sites:read') })
  const sites = withDistinctNames(data ?? [])
  const groups = useQuery({ ...deviceGroupsQuery(orgId), enabled: can(me, 'devices:read') }).data ?? []
  return (
    <>
      <Confinement
        label="Sites"
        all="All sites"
        some="Only some sites"
        placeholder="Choose sites"
        choices={sites}
        none={
          data?.length === 0 && (
            <NoSite onAdd={can(me, 'sites:write') ? () => openNewSite(orgId) : null}>
              This organization has no sites yet.
            </NoSite>
          )
        }
        isConfined={own.siteIds !== null}
        {...form.getInputProps('siteIds')}
      />
      {(groups.length > 0 || form.values.deviceGroupIds) && (
        <Confinement
          label="Devices"
          all="All devices of these sites"
          some="Only devices in some groups"
          placeholder="Choose groups"
          choices={groups}
          isConfined={own.deviceGroupIds !== null}
          {...form.getInputProps('deviceGroupIds')}
        />
      )}
    </>
  )
}

interface ConfinementProps {
  label: string
  all: string
  some: string
  placeholder: string
  choices: readonly { id: string; name: string }[]
  /** Where there is nothing to choose from. */
  none?: React.ReactNode
  /** The user does not have all of them themselves. */
  isConfined: boolean
  value?: string[] | null
  error?: React.ReactNode
  onChange: (ids: string[] | null) => void
}

function Confinement({
  label,
  all,
  some,
  placeholder,
  choices,
  none,
  isConfined,
  value = null,
  error,
  onChange,
}: ConfinementProps) {
  return (
    <Radio.Group
      label={label}
      value={value === null ? 'all' : 'some'}
      onChange={(next) => onChange(next === 'all' ? null : [])}
    >
      <Stack gap="xs" mt={6}>
        <Radio
          value="all"
          label={all}
          disabled={isConfined}
          description={isConfined && 'You don’t have all of this access yourself.'}
        />
        <Radio value="some" label={some} />
        {value !== null && none && <Box ml={{ sm: 30 }}>{none}</Box>}
        {value !== null && !none && (
          <MultiSelect
            aria-label={some}
            placeholder={value.length === 0 ? placeholder : ''}
            searchable
            limit={50}
            ml={{ sm: 30 }}
            data={choices.map(({ id, name }) => ({ value: id, label: name }))}
            value={value}
            error={error}
            onChange={onChange}
          />
        )}
      </Stack>
    </Radio.Group>
  )
}
