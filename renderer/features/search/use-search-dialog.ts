import { useHotkeys } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { isDialogOpen } from '../../lib/dialog-open.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'

/** Whether the dialog is open, and what closes it; resolves once it is gone from the address. */
export function useSearchDialog() {
  const isOpen = useSearch({ from: '/app' }).dialog === 'search'
  const navigate = useNavigate()
  const open = useOpenDialog('search')
  const close = () => navigate({ to: '.', search: (old) => ({ ...old, dialog: undefined }), replace: true })
  const toggle = () => {
    if (isOpen) void close()
    else if (!isDialogOpen()) open()
  }
  // Also while somebody types.
  useHotkeys([['mod+K', toggle]], [], true)
  return { isOpen, close }
}
