import { Modal } from '@mantine/core'
import { useOpenOrganizationId } from '../../../domain/organizations/selected-organization.ts'
import { useNarrowScreen } from '../../../lib/use-narrow-screen.ts'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { SkeletonLines } from '../../../ui/states.tsx'

const AddDevice = lazyPart(
  'add-device',
  async () => (await import('./add-device.tsx')).AddDevice,
  <SkeletonLines count={4} />,
)

export function AddDeviceDialog({ onClose }: { onClose: () => void }) {
  const isNarrow = useNarrowScreen()
  return (
    <Modal opened onClose={onClose} title="Add a device" size={760} fullScreen={isNarrow} closeOnClickOutside={false}>
      <AddDevice orgId={useOpenOrganizationId()} hasLinks />
    </Modal>
  )
}
