import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** `vite build renderer`: the console, hashed and split by page; the server hands it out from `dist/renderer`. */
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy allows no data: script or style, and small files are cheap on a LAN.
    assetsInlineLimit: 0,
    // In kB. The word lists that judge a new password are one chunk, and only fetched where one is chosen.
    chunkSizeWarningLimit: 2000,
  },
  server: {
    proxy: { '/api': { target: 'http://127.0.0.1:18080', changeOrigin: false } },
  },
})
