import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { deviceQuery } from '../../../data/devices.ts'
import { organizationQuery } from '../../../data/organizations.ts'
import { deviceName } from '../../../domain/devices/device-labels.ts'
import { useOnlyOrganizationId, useOpenOrganizationId } from '../../../domain/organizations/selected-organization.ts'
import { useMe } from '../../../lib/session.ts'
import { useNarrowScreen } from '../../../lib/use-narrow-screen.ts'
import { closeUnlessUnsaved } from '../../../ui/confirm-leave.tsx'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { SkeletonLines } from '../../../ui/states.tsx'
import { ChooseOrganization } from './choose-organization.tsx'

const ProtectWizard = lazyPart(
  'protect-wizard',
  async () => (await import('./protect-wizard.tsx')).ProtectWizard,
  <SkeletonLines count={6} />,
)

/** Backups in a few questions; on the page of a device about that device. */
export function ProtectDialog({ onClose }: { onClose: () => void }) {
  const isNarrow = useNarrowScreen()
  return (
    <Modal
      opened
      onClose={closeUnlessUnsaved(onClose)}
      title="Protect devices"
      size={640}
      fullScreen={isNarrow}
      closeOnClickOutside={false}
    >
      <Content onClose={onClose} />
    </Modal>
  )
}

function Content({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const { deviceId } = useParams({ strict: false })
  const device = useQuery({ ...deviceQuery(deviceId ?? ''), enabled: deviceId !== undefined }).data
  const open = useOpenOrganizationId()
  const only = useOnlyOrganizationId()
  const [chosen, setChosen] = useState<string>()
  const ofPage = me.scope === 'organization' ? only : (open ?? only)
  const orgId = deviceId === undefined ? (chosen ?? ofPage) : device?.orgId
  const org = useQuery({ ...organizationQuery(orgId ?? ''), enabled: orgId !== undefined }).data
  if (orgId === undefined && deviceId === undefined) return <ChooseOrganization onChoose={setChosen} />
  if (!org) return <SkeletonLines count={6} />
  return (
    <ProtectWizard
      key={org.id}
      org={org}
      {...(device && { device: { id: device.id, name: deviceName(device) } })}
      onClose={onClose}
    />
  )
}
