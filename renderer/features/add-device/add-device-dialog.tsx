import { Modal } from '@mantine/core'
import { useNarrow } from '../../lib/use-narrow.ts'
import { AddDevice } from './add-device.tsx'

export default function AddDeviceDialog({ onClose }: { onClose: () => void }) {
  const isNarrow = useNarrow()
  return (
    <Modal opened onClose={onClose} title="Add a device" size={760} fullScreen={isNarrow} closeOnClickOutside={false}>
      <AddDevice hasLinks />
    </Modal>
  )
}
