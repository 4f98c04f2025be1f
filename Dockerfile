# A Holdfast worker. Temporal's SDK needs glibc: no Alpine. The workflow bundle is built here, once, and not at every start.

FROM node:24-slim AS build
WORKDIR /app
# Without scripts first: this layer lasts until the dependencies change.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
# The AWS SDK is an optional peer: with it stores may lie on S3.
RUN npm run build && npm prune --omit=dev --ignore-scripts && npm install --no-save --ignore-scripts @aws-sdk/client-s3@3.1169.0 @aws-sdk/lib-storage@3.1169.0

FROM node:24-slim
# Temporal's core verifies certificates against the system's, which the slim image lacks.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
ENV HOLDFAST_MEDIA_STORE=/data/media HOLDFAST_PAYLOAD_STORE=/data/payloads HOLDFAST_JOURNAL=/data/journal
# Large blocks go back to the system when they are freed, and V8 collects the young generation of a thread at 24 MiB: the memory
# of a worker follows what it holds, not what once went through it (docs/operations.md).
ENV MALLOC_MMAP_THRESHOLD_=131072 MALLOC_ARENA_MAX=2 NODE_OPTIONS=--max-semi-space-size=8
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
# Node as process 1 gets SIGTERM itself and drains; 30 s are enough for its grace time.
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["worker"]
