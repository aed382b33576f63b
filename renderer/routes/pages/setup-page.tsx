import { SetupPage as SetupSteps } from '../../features/authentication/setup/setup-page.tsx'
import { AddDevice } from '../../features/enrollment-keys/add-device/add-device.tsx'

export function SetupPage() {
  return <SetupSteps addDevice={<AddDevice hasLinks={false} />} />
}
