import { useHotkeys } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'

export function useOpenSearch() {
  const navigate = useNavigate()
  return () => void navigate({ to: '.', search: (old) => ({ ...old, dialog: 'search' as const }) })
}

/** Whether the dialog is open, and what closes it; resolves once it is gone from the address. */
export function useSearchDialog() {
  const isOpen = useSearch({ from: '/app' }).dialog === 'search'
  const navigate = useNavigate()
  const open = useOpenSearch()
  const close = () => navigate({ to: '.', search: (old) => ({ ...old, dialog: undefined }), replace: true })
  const toggle = () => {
    if (isOpen) void close()
    // Another dialog may hold something unsaved.
    else if (!document.querySelector('[aria-modal="true"]')) open()
  }
  // Also while somebody types.
  useHotkeys([['mod+K', toggle]], [], true)
  return { isOpen, close }
}
