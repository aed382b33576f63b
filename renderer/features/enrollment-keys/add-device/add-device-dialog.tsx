import { Modal } from '@mantine/core'
import { useSelectedOrganization } from '../../../domain/organizations/selected-organization.ts'
import { useNarrow } from '../../../lib/use-narrow-screen.ts'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { Lines } from '../../../ui/states.tsx'

const AddDevice = lazyPart('add-device', async () => (await import('./add-device.tsx')).AddDevice, <Lines count={4} />)

export function AddDeviceDialog({ onClose }: { onClose: () => void }) {
  const isNarrow = useNarrow()
  return (
    <Modal opened onClose={onClose} title="Add a device" size={760} fullScreen={isNarrow} closeOnClickOutside={false}>
      <AddDevice orgId={useSelectedOrganization()} hasLinks />
    </Modal>
  )
}
