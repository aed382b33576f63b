import { useNavigate } from '@tanstack/react-router'

/** Opens a dialog that any page can open; the address names it. */
export function useOpenDialog(dialog: 'add-device' | 'organization' | 'protect' | 'search') {
  const navigate = useNavigate()
  return () => void navigate({ to: '.', search: (old) => ({ ...old, dialog }) })
}
