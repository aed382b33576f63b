import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMayProtect } from '../../domain/backup-policies/use-may-protect.ts'
import { ProtectDialog } from '../../features/backup-protection/protect/protect-dialog.tsx'
import { AddDeviceDialog } from '../../features/enrollment-keys/add-device/add-device-dialog.tsx'
import { SearchButton } from '../../features/search/search-button.tsx'
import { SearchDialog } from '../../features/search/search-dialog.tsx'
import { AppLayout } from '../../features/shell/app-layout.tsx'
import { OrganizationSwitchDialog } from '../../features/tenant-switcher/switch-dialog.tsx'
import { TenantTree } from '../../features/tenant-switcher/tenant-tree.tsx'

/** The layout of the console with the dialogs that any page can open. */
export function AppFrame() {
  return (
    <AppLayout
      tenantTree={(onNavigate) => <TenantTree onNavigate={onNavigate} />}
      searchButton={<SearchButton />}
      dialogs={
        <>
          <SearchDialog />
          <AddDevice />
          <Protect />
          <OrganizationSwitchDialog />
        </>
      }
    />
  )
}

function AddDevice() {
  const { dialog } = useSearch({ from: '/app' })
  const navigate = useNavigate()
  if (dialog !== 'add-device') return null
  const close = () => navigate({ to: '.', search: (search) => ({ ...search, dialog: undefined }) })
  return <AddDeviceDialog onClose={close} />
}

function Protect() {
  const { dialog } = useSearch({ from: '/app' })
  const navigate = useNavigate()
  const mayProtect = useMayProtect()
  if (dialog !== 'protect' || !mayProtect) return null
  const close = () => navigate({ to: '.', search: (search) => ({ ...search, dialog: undefined }) })
  return <ProtectDialog onClose={close} />
}
