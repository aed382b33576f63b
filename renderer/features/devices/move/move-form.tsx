import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Organization } from '../../../../shared/api/organizations.ts'
import type { MoveOutcome } from '../../../data/device-moves.ts'
import { organizationTreeQuery } from '../../../data/organizations.ts'
import { OrganizationSelect } from '../../../domain/organizations/organization-select.tsx'
import { NewSite } from '../../../domain/sites/new-site.tsx'
import { can } from '../../../lib/permissions.ts'
import { useMe } from '../../../lib/session.ts'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { LoadFailed, SkeletonLines } from '../../../ui/states.tsx'
import { commonTo, type MovableDevice } from './movable-device.ts'
import type { MoveDestination } from './notify-moved.tsx'
import { SiteField } from './site-field.tsx'
import { useMove } from './use-move.ts'
import { WhatMoves } from './what-moves.tsx'

interface Props {
  devices: readonly MovableDevice[]
  onDone: (outcome: MoveOutcome, to: MoveDestination) => void
}

export function MoveForm(props: Props) {
  const organizations = useOrganizationsFor(props.devices)
  if (organizations.error) return <LoadFailed error={organizations.error} onRetry={organizations.refetch} />
  if (organizations.isLoading) return <SkeletonLines count={4} height={34} />
  return <Fields {...props} organizations={organizations.data ?? []} />
}

/** Organizations of the company of the devices; no device leaves it. None where the user has no choice. */
function useOrganizationsFor(devices: readonly MovableDevice[]) {
  const me = useMe()
  return useQuery({
    ...organizationTreeQuery,
    enabled: me.scope !== 'organization' && can(me, 'organizations:read'),
    select: (all) => {
      const partnerId = all.find(({ id }) => id === devices[0]?.orgId)?.partnerId
      return all.filter((one) => one.partnerId === partnerId)
    },
  })
}

function Fields({ devices, organizations, onDone }: Props & { organizations: readonly Organization[] }) {
  const [isAddingSite, setAddingSite] = useState(false)
  const { form, sites, others, saving, orgName, closedReason } = useMove(devices, organizations, onDone)
  const { orgId } = form.values
  const mayAddSite = can(useMe(), 'sites:write') && orgId !== '' && closedReason === null
  if (sites.error) return <LoadFailed error={sites.error} onRetry={sites.refetch} />
  // The form keeps its input, because its state is here.
  if (isAddingSite)
    return (
      <NewSite
        org={{ id: orgId, name: orgName }}
        onBack={() => setAddingSite(false)}
        onCreated={(site) => {
          form.setFieldValue('siteId', site.id)
          setAddingSite(false)
        }}
      />
    )
  const hasChoice = organizations.length > 1
  return (
    <DialogForm saving={saving} action="Move">
      {hasChoice && (
        <OrganizationSelect
          isFirst
          organizations={organizations}
          {...form.getInputProps('orgId')}
          error={form.errors.orgId ?? closedReason}
          onChange={(id) => form.setValues({ orgId: id, siteId: '' })}
        />
      )}
      <SiteField
        orgName={orgName}
        sites={others}
        hasPresentSite={others?.length !== sites.data?.length}
        hint={siteHint(devices, orgId)}
        isFirst={!hasChoice}
        isDisabled={!orgId}
        field={form.getInputProps('siteId')}
        onAdd={mayAddSite ? () => setAddingSite(true) : null}
      />
      {orgId && devices.some((device) => device.orgId !== orgId) && <WhatMoves from={commonTo(devices, 'orgName')} />}
    </DialogForm>
  )
}

function siteHint(devices: readonly MovableDevice[], orgId: string): string | undefined {
  if (!devices.every((device) => device.orgId === orgId)) return undefined
  const [only] = devices.length === 1 ? devices : []
  return only
    ? `Currently at ${only.siteName}. The device will leave groups limited to that site.`
    : 'The devices will leave groups limited to their present site.'
}
