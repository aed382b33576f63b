import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { AddDevice } from './add-device.tsx'

export default function AddDeviceDialog({ onClose }: { onClose: () => void }) {
  const isNarrow = useMediaQuery('(max-width: 48em)', window.matchMedia('(max-width: 48em)').matches)
  return (
    <Modal opened onClose={onClose} title="Add a device" size={760} fullScreen={isNarrow} closeOnClickOutside={false}>
      <AddDevice hasLinks />
    </Modal>
  )
}
